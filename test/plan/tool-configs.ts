/** A training of each tool, with a hole for the lines that a plan writes. */
import { parse, stringify } from 'yaml'

const MODEL = 'Qwen/Qwen2.5-0.5B'

export interface Fillable {
  readonly path: string
  /** The file with the lines and, of a launcher, the command; without them with a batch of its own. */
  readonly filled: (lines?: string, command?: string) => string
  /** The model, where the file cannot name it. */
  readonly model?: string
}

/** The lines at the end. */
function yaml(text: string, batch: string): Fillable {
  return { path: 'train.yaml', filled: lines => `${text}${lines ?? batch}\n` }
}

type Nested = { [key: string]: unknown }

function merged(one: Nested, other: Nested): Nested {
  const entries = Object.entries(other).map(([key, value]) => {
    const before = one[key]
    const isBoth = [before, value].every(each => typeof each === 'object' && each !== null && !Array.isArray(each))
    return [key, isBoth ? merged(before as Nested, value as Nested) : value]
  })
  return { ...one, ...Object.fromEntries(entries) }
}

/** The options of a launcher's command take the place of `<…>`. */
function launcher(command: string, options: string, batch: string): Fillable {
  return {
    path: 'train.sh',
    filled: (lines = batch, started = command) =>
      `${started.replace(/<its .*>/, () => `${options} \\\n${indented(lines, '  ')}`)}\n`,
  }
}

function indented(lines: string, by: string): string {
  return lines.replaceAll(/^/gm, by)
}

/** The line of the DataLoader's batch, and the others. */
function loaded(lines = 'batch_size=8,'): readonly [batch: string, others: string] {
  const all = lines.split('\n')
  const isBatch = (line: string) => line.startsWith('batch_size=')
  return [all.filter(isBatch).join(' '), all.filter(line => !isBatch(line)).join(' ')]
}

function script(text: (lines: string) => string): Fillable {
  const filled = (lines = 'per_device_train_batch_size=8,') => text(indented(lines, '    '))
  return { path: 'train.py', filled }
}

const sft = (model: string, lines: string) => `args = SFTConfig(
    output_dir="out",
    max_length=1024,
    bf16=True,
${lines}
)
trainer = SFTTrainer(model=${model}, args=args, train_dataset=data)
trainer.train()
`

const trainer = `model_name_or_path: ${MODEL}\ntask: causal-lm\nbf16: true\noptim: adamw_torch_fused\nblock_size: 1024\n`
const swift = `model: ${MODEL}\ndataset: [swift/self-cognition]\nmax_length: 1024\ntorch_dtype: bfloat16\n`
const factory = `model_name_or_path: ${MODEL}\nstage: sft\ndo_train: true\nlora_target: all\ntemplate: qwen\ncutoff_len: 1024\nbf16: true\n`

export const fillable: Readonly<Record<string, Fillable>> = {
  'Hugging Face Trainer': yaml(trainer, 'per_device_train_batch_size: 8'),
  'Hugging Face Trainer with adapters': yaml(
    `model_name_or_path: ${MODEL}\ntask: causal-lm\nbf16: true\ntorch_dtype: bfloat16\nblock_size: 1024\nuse_peft: true\nlora_r: 8\nlora_target_modules: [q_proj, v_proj]\n`,
    'per_device_train_batch_size: 8',
  ),
  'Hugging Face Trainer in fp16': yaml(trainer.replace('bf16', 'fp16'), 'per_device_train_batch_size: 8'),
  'LLaMA-Factory with adapters in fp16': yaml(
    `${factory.replace('bf16', 'fp16')}finetuning_type: lora\n`,
    'per_device_train_batch_size: 8',
  ),
  "Hugging Face Trainer's JSON": {
    path: 'train.json',
    filled: (lines = '{"per_device_train_batch_size": 8}') =>
      JSON.stringify({ ...(parse(trainer) as Nested), ...(JSON.parse(lines) as Nested) }),
  },
  "Hugging Face Trainer's command": launcher(
    'accelerate launch <its script and options>',
    `run_clm.py --do_train --model_name_or_path ${MODEL} --bf16 True --block_size 1024`,
    '--per_device_train_batch_size 8',
  ),
  "TRL's script": script(lines => `from trl import SFTConfig, SFTTrainer\n${sft(`"${MODEL}"`, lines)}`),
  "Unsloth's script": script(
    lines => `from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastLanguageModel.from_pretrained("${MODEL}", max_seq_length=1024, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules=["q_proj", "v_proj"], use_gradient_checkpointing="unsloth")
${sft('model', lines)}`,
  ),
  Axolotl: yaml(
    `base_model: ${MODEL}\nsequence_len: 1024\nbf16: true\noptimizer: adamw_torch_fused\nsample_packing: true\nflash_attention: true\n`,
    'micro_batch_size: 8',
  ),
  torchtune: yaml(
    'model:\n  _component_: torchtune.models.qwen2_5.qwen2_5_0_5b\ntokenizer:\n  max_seq_len: 1024\noptimizer:\n  _component_: torch.optim.AdamW\n  fused: true\nloss:\n  _component_: torchtune.modules.loss.LinearCrossEntropyLoss\ndtype: bf16\n',
    'batch_size: 8',
  ),
  'LLaMA-Factory': yaml(`${factory}finetuning_type: full\n`, 'per_device_train_batch_size: 8'),
  'LLaMA-Factory with adapters': yaml(`${factory}finetuning_type: lora\n`, 'per_device_train_batch_size: 8'),
  'ms-swift': yaml(`${swift}tuner_type: full\n`, 'per_device_train_batch_size: 8'),
  'ms-swift with adapters': yaml(`${swift}tuner_type: lora\n`, 'per_device_train_batch_size: 8'),
  "ms-swift's command": launcher(
    'swift sft <its options>',
    `--model ${MODEL} --tuner_type full --dataset swift/self-cognition --max_length 1024 --torch_dtype bfloat16`,
    '--per_device_train_batch_size 8',
  ),
  LitGPT: yaml(
    'checkpoint_dir: checkpoints/Qwen/Qwen2.5-0.5B\nprecision: bf16-true\nresume: false\n',
    'train:\n  micro_batch_size: 8\n  global_batch_size: 8',
  ),
  'LitGPT with adapters': yaml(
    'checkpoint_dir: checkpoints/meta-llama/Llama-3.2-1B\nprecision: bf16-true\nlora_r: 8\n',
    'train:\n  micro_batch_size: 8\n  global_batch_size: 8',
  ),
  verl: launcher(
    'torchrun --nproc_per_node=1 -m verl.trainer.fsdp_sft_trainer <its other settings>',
    `model.partial_pretrain=${MODEL} data.max_length=1024`,
    'data.micro_batch_size_per_gpu=8',
  ),
  'Lightning CLI': {
    path: 'train.yaml',
    filled: (lines = 'data: { init_args: { train_batch_size: 8 } }') => {
      const own = {
        trainer: { precision: 'bf16-mixed' },
        model: { class_path: 'project.Module', init_args: { model_name_or_path: MODEL } },
        data: { class_path: 'project.Data', init_args: { max_length: 1024 } },
      }
      return stringify(merged(own, parse(lines) as Nested))
    },
  },
  "Lightning's script": {
    path: 'train.py',
    filled: lines => {
      const [batch, others] = loaded(lines)
      return `import lightning as L
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

class Tuned(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained("${MODEL}", dtype=torch.float32)

    def training_step(self, batch, _):
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-5)

loader = DataLoader(dataset, ${batch} collate_fn=collate)
L.Trainer(max_epochs=1, precision="bf16-mixed", ${others}).fit(Tuned(), loader)
`
    },
  },
  "A loop with Accelerate's Accelerator": {
    path: 'train.py',
    filled: lines => {
      const [batch, others] = loaded(lines)
      return `import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

accelerator = Accelerator(mixed_precision="bf16", ${others})
tokenizer = AutoTokenizer.from_pretrained("${MODEL}")
model = AutoModelForCausalLM.from_pretrained("${MODEL}", dtype=torch.float32)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
loader = DataLoader(dataset, ${batch} shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    inputs = tokenizer(batch["text"], max_length=1024, truncation=True, padding="max_length", return_tensors="pt")
    accelerator.backward(model(**inputs, labels=inputs["input_ids"]).loss)
    optimizer.step()
    optimizer.zero_grad()
`
    },
  },
  DeepSpeed: {
    path: 'ds.json',
    model: MODEL,
    filled: (lines = '{"train_micro_batch_size_per_gpu": 8}') => {
      const own = { bf16: { enabled: true }, zero_optimization: { stage: 2, reduce_bucket_size: 1e8 } }
      return JSON.stringify(merged(own, JSON.parse(lines) as Nested))
    },
  },
  torchtitan: {
    path: 'train.toml',
    filled: (lines = '[training]\nlocal_batch_size = 2') =>
      `[model]\nname = "llama3"\nflavor = "8B"\n\n[activation_checkpoint]\nmode = "full"\n\n${lines}\n`,
  },
}
