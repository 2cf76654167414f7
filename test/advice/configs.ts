/** A config of each tool that does not fit a small card, as people write it. */
import type { SourceFile } from '../../engine/config/reading.ts'
import type { LeverId } from '../../engine/report/advised-levers.ts'

export interface ToolConfig {
  readonly tool: string
  readonly gpu: string
  readonly file: SourceFile
  /** What must be among what is offered, alone or together with others. */
  readonly offers: readonly LeverId[]
  /** The model, where the file cannot name it. */
  readonly model?: string
  /** The number of GPUs, where the file cannot say it. */
  readonly gpus?: number
}

const files: readonly (Omit<ToolConfig, 'file'> & { readonly path: string; readonly text: string })[] = [
  {
    tool: "TRL's YAML",
    gpu: 'l4',
    path: 'sft.yaml',
    text: `# supervised fine-tuning
model_name_or_path: Qwen/Qwen2.5-0.5B
dataset_name: trl-lib/Capybara   # 16k dialogues
per_device_train_batch_size: 8   # was 4
learning_rate: 2.0e-5
gradient_checkpointing: false
packing: false
loss_type: nll
output_dir: out
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'fused-loss', '8-bit-optimizer', 'lora', 'half-length'],
  },
  {
    tool: "TRL's GRPO",
    gpu: 'l4',
    path: 'grpo.yaml',
    text: `model_name_or_path: Qwen/Qwen2.5-3B
reward_funcs: accuracy
per_device_train_batch_size: 8
gradient_accumulation_steps: 4
num_generations: 8
max_completion_length: 2048
use_vllm: true
vllm_mode: colocate
vllm_gpu_memory_utilization: 0.3
use_peft: true
lora_r: 16
`,
    offers: ['micro-batch', 'fused-loss', '4-bit-base', 'half-completions'],
  },
  {
    tool: 'Hugging Face JSON on one line',
    gpu: 't4',
    path: 'train.json',
    text: '{"model_name_or_path": "bert-large-uncased", "per_device_train_batch_size": 64, "num_labels": 2, "max_seq_length": 512, "learning_rate": 3e-5}\n',
    offers: ['micro-batch', 'gradient-checkpointing', 'fp16-autocast', 'half-length'],
  },
  {
    tool: 'several GPUs',
    gpu: 'a100-80gb',
    path: 'zero.yaml',
    text: `model_name_or_path: meta-llama/Llama-2-7b-hf
task: causal-lm
n_gpus: 8
per_device_train_batch_size: 1
gradient_accumulation_steps: 4
block_size: 1024
bf16: true
gradient_checkpointing: true
`,
    offers: ['zero-1', 'zero-2', 'zero-3', 'zero-3-offload', 'fsdp'],
  },
  {
    tool: 'Axolotl',
    gpu: 'a10',
    path: 'axolotl.yml',
    text: `base_model: NousResearch/Llama-2-7b-hf
load_in_4bit: false
plugins:
  - axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin
cut_cross_entropy: false
sequence_len: 4096
sample_packing: true
micro_batch_size: 2
gradient_accumulation_steps: 4
optimizer: adamw_torch
flash_attention: true
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'lora', 'qlora', '8-bit-optimizer', 'another-card'],
  },
  {
    tool: 'LLaMA-Factory',
    gpu: 'rtx-4090',
    path: 'llama3_lora_sft.yaml',
    text: `### model
model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
### method
stage: sft
do_train: true
finetuning_type: lora
lora_target: all
### dataset
template: llama3
cutoff_len: 8192
### train
per_device_train_batch_size: 2
gradient_accumulation_steps: 4
bf16: true
`,
    offers: ['micro-batch', 'fused-loss', '4-bit-base', 'half-length'],
  },
  {
    tool: 'Axolotl over several GPUs',
    gpu: 'a100-40gb',
    path: 'fsdp.yml',
    text: `base_model: meta-llama/Llama-3.1-8B
sequence_len: 32768
sample_packing: true
flash_attention: true
bf16: true
micro_batch_size: 1
gradient_accumulation_steps: 2
gradient_checkpointing: true
dp_shard_size: 8
fsdp_version: 2
fsdp_config:
  transformer_layer_cls_to_wrap: LlamaDecoderLayer
`,
    offers: ['tensor-parallel', 'context-parallel', 'activation-offloading', 'fused-loss', 'fsdp-offload'],
  },
  {
    tool: 'Axolotl, whole weights on each of two GPUs',
    gpu: 'l4',
    gpus: 2,
    path: 'long.yml',
    text: `base_model: HuggingFaceTB/SmolLM2-1.7B
sequence_len: 32768
sample_packing: true
flash_attention: true
bf16: true
micro_batch_size: 1
gradient_accumulation_steps: 2
gradient_checkpointing: true
optimizer: adamw_8bit
adapter: lora
lora_r: 16
lora_target_linear: true
`,
    offers: ['context-parallel', 'activation-offloading', 'fused-loss'],
  },
  {
    tool: 'torchtune',
    gpu: 'a10',
    path: 'full.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3_2.llama3_tokenizer
  max_seq_len: 8192
model:
  _component_: torchtune.models.llama3_2.llama3_2_1b
batch_size: 4
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torch.nn.CrossEntropyLoss
dtype: bf16
gradient_accumulation_steps: 1
enable_activation_checkpointing: false
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'chunked-loss', 'half-length'],
  },
  {
    tool: 'torchtune with a fused optimizer, which bitsandbytes has none of',
    gpu: 'a10',
    path: 'fused.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
model:
  _component_: torchtune.models.llama3_2.llama3_2_3b
batch_size: 4
optimizer:
  _component_: torch.optim.AdamW
  fused: true
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss
dtype: bf16
gradient_accumulation_steps: 2
enable_activation_checkpointing: true
`,
    offers: ['paged-8-bit-optimizer', '8-bit-optimizer'],
  },
  {
    tool: 'torchtune over several GPUs',
    gpu: 'a100-40gb',
    path: 'full_distributed.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 8192
model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
tensor_parallel_dim: 8
batch_size: 4
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
dtype: bf16
enable_activation_checkpointing: false
`,
    offers: ['micro-batch', 'selective-checkpointing', 'gradient-checkpointing', 'half-length'],
  },
  {
    tool: 'torchtune, divided by FSDP',
    gpu: 'a100-40gb',
    path: '8B_full.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 8192
model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
batch_size: 4
gradient_accumulation_steps: 2
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
dtype: bf16
enable_activation_checkpointing: false
`,
    gpus: 8,
    offers: ['micro-batch', 'gradient-checkpointing', 'tensor-parallel'],
  },
  {
    tool: 'torchtune where FSDP is not enough',
    gpu: 'a100-40gb',
    path: '70B_full.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
model:
  _component_: torchtune.models.llama3_1.llama3_1_70b
batch_size: 1
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
dtype: bf16
enable_activation_checkpointing: true
`,
    gpus: 8,
    offers: ['fsdp-offload', 'optimizer-in-backward'],
  },
  {
    tool: 'LLaMA-Factory under autocast',
    gpu: 'a100-80gb',
    path: 'full_sft.yaml',
    text: `model_name_or_path: huggyllama/llama-7b
stage: sft
do_train: true
finetuning_type: full
template: default
cutoff_len: 1024
per_device_train_batch_size: 4
gradient_accumulation_steps: 1
fp16: true
`,
    offers: ['paged-optimizer', 'bf16-weights', '8-bit-optimizer', 'lora'],
  },
  {
    tool: 'LLaMA-Factory with adapters over several GPUs',
    gpu: 'rtx-4090',
    path: 'lora_sft.yaml',
    text: `model_name_or_path: meta-llama/Meta-Llama-3.1-8B-Instruct
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 16
lora_target: all
template: llama3
cutoff_len: 2048
per_device_train_batch_size: 4
gradient_accumulation_steps: 4
bf16: true
`,
    gpus: 7,
    offers: ['micro-batch', 'zero-3', 'zero-2'],
  },
  {
    tool: 'FSDP of transformers 5',
    gpu: 'a100-40gb',
    path: 'fsdp.yaml',
    text: `model_name_or_path: Qwen/Qwen2.5-14B
dataset_name: trl-lib/Capybara
max_length: 4096
per_device_train_batch_size: 2
bf16: true
gradient_checkpointing: true
fsdp: true
fsdp_config:
  reshard_after_forward: true
n_gpu: 4
`,
    offers: ['fsdp-offload', 'half-length'],
  },
  {
    tool: 'torchtitan',
    gpu: 'a100-40gb',
    path: 'llama3_8b.toml',
    text: `# 8 GPUs
[model]
name = "llama3"
flavor = "8B"

[optimizer]
name = "AdamW"
implementation = "foreach"  # as before

[training]
  local_batch_size = 4
  seq_len = 8192

[activation_checkpoint]
mode = "selective"  # ["none", "selective", "full"]
selective_ac_option = "op"
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'compile', 'tensor-parallel', 'half-length'],
  },
  {
    tool: 'torchtitan with copies of the model',
    gpu: 'h100',
    path: 'ddp.toml',
    text: `[model]
name = "llama3"
flavor = "8B"

[training]
seq_len = 4096
local_batch_size = 2

[parallelism]
data_parallel_replicate_degree = 4
data_parallel_shard_degree = 1

[activation_checkpoint]
mode = "none"

[compile]
enable = false
`,
    offers: ['fsdp', 'gradient-checkpointing', 'selective-checkpointing', 'compile', 'micro-batch', 'half-length'],
  },
  {
    tool: "torchtitan's command",
    gpu: 'a100-80gb',
    path: 'train.sh',
    text: `torchrun --nproc_per_node 8 -m torchtitan.train --model.name llama3 --model.flavor 70B \\
  --training.local_batch_size 4 --training.seq_len 8192
`,
    offers: ['gradient-checkpointing', 'tensor-parallel', 'half-length'],
  },
  {
    tool: 'Lightning CLI',
    gpu: 't4',
    path: 'lightning.yaml',
    text: `trainer:
  max_epochs: 3
  devices: 1
model:
  class_path: project.Module
  init_args:
    model_name_or_path: bert-large-uncased
data:
  class_path: project.Data
  init_args:
    batch_size: 96
    max_length: 512
`,
    offers: ['micro-batch', 'fp16-autocast', 'half-length'],
  },
  {
    tool: "DeepSpeed's JSON",
    model: 'meta-llama/Meta-Llama-3-8B',
    gpu: 'a10',
    path: 'ds.json',
    text: `{
  "train_micro_batch_size_per_gpu": 1,
  "gradient_accumulation_steps": 2,
  "train_batch_size": 16,
  "bf16": { "enabled": true },
  "zero_optimization": {
    "stage": 1
  }
}
`,
    offers: ['zero-3'],
  },
  {
    tool: 'Lightning, a script',
    gpu: 'a100-80gb',
    path: 'train.py',
    text: `import lightning as L
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

class Tuned(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.float32)

    def training_step(self, batch, _):
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-5)

loader = DataLoader(dataset, batch_size=16, collate_fn=collate)
L.Trainer(max_epochs=1, devices=4).fit(Tuned(), loader)
`,
    offers: ['micro-batch', 'bf16-autocast', 'bf16-weights', 'zero-1', 'zero-3'],
  },
  {
    tool: 'PyTorch, a loop of its own',
    gpu: 'a100-80gb',
    path: 'train.py',
    text: `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-1.5B")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.float32).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in DataLoader(dataset, batch_size=16):
    inputs = tokenizer(batch["text"], max_length=1024, truncation=True, padding="max_length", return_tensors="pt").to("cuda")
    model(**inputs, labels=inputs["input_ids"]).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
`,
    offers: ['bf16-weights', 'half-length'],
  },
  {
    tool: 'LitGPT, adapters',
    gpu: 'a10',
    path: 'config_hub/finetune/llama-3.1-8b/lora.yaml',
    text: `checkpoint_dir: checkpoints/meta-llama/Llama-3.1-8B
out_dir: out/finetune/lora-llama-3.1-8b
precision: bf16-true
quantize:
devices: 1
lora_r: 32
train:
  global_batch_size: 8
  micro_batch_size: 2
  max_seq_length: 512
`,
    offers: ['micro-batch', '4-bit-base', 'half-length'],
  },
  {
    tool: 'LitGPT, by its command',
    gpu: 'a100-80gb',
    path: 'finetune.sh',
    text: `litgpt finetune_full checkpoints/meta-llama/Llama-3.2-3B \\
  --train.global_batch_size 16 \\
  --train.micro_batch_size 8 \\
  --train.max_seq_length 2048
`,
    offers: ['micro-batch', 'bf16-weights', 'half-length'],
  },
  {
    tool: 'LitGPT with a class for its optimizer',
    gpu: 'a100-80gb',
    path: 'config_hub/finetune/llama-3.1-8b/full.yaml',
    text: `checkpoint_dir: checkpoints/meta-llama/Llama-3.1-8B
out_dir: out/finetune/full-llama-3.1-8b
precision: bf16-mixed
optimizer:
  class_path: torch.optim.AdamW
  init_args:
    lr: 0.0002
    weight_decay: 0.1
train:
  global_batch_size: 8
  micro_batch_size: 2
  max_seq_length: 512
`,
    offers: ['fused-optimizer', '8-bit-optimizer', 'paged-optimizer', 'bf16-weights'],
  },
  {
    tool: 'ms-swift in 32 bits over several GPUs',
    gpu: 'a100-80gb',
    path: 'swift.sh',
    text: `NPROC_PER_NODE=8 swift sft --model Qwen/Qwen2.5-7B --tuner_type full --dataset swift/self-cognition \\
  --torch_dtype float32 --bf16 False --fp16 False \\
  --max_length 4096 \\
  --per_device_train_batch_size 2
`,
    offers: ['zero-1', 'zero-2', 'zero-3', 'fsdp'],
  },
  {
    tool: 'OpenRLHF',
    gpu: 'a10',
    path: 'train_sft.sh',
    text: `deepspeed --num_gpus 8 --module openrlhf.cli.train_sft \\
  --max_len 4096 \\
  --pretrain meta-llama/Meta-Llama-3-8B \\
  --train_batch_size 256 \\
  --micro_train_batch_size 4 \\
  --zero_stage 3 --bf16 --flash_attn --packing_samples
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'lora', 'half-length', 'zero-3-optimizer-offload'],
  },
  {
    tool: 'OpenRLHF by the names since 0.10.2',
    gpu: 'a100-40gb',
    path: 'train_dpo.sh',
    text: `deepspeed --num_gpus 4 --module openrlhf.cli.train_dpo \\
  --model.model_name_or_path Qwen/Qwen2.5-7B-Instruct \\
  --data.max_len 2048 \\
  --train.batch_size 128 \\
  --train.micro_batch_size 2 \\
  --model.gradient_checkpointing_enable
`,
    offers: ['micro-batch', 'lora', 'half-length', 'zero-2-offload', 'zero-3', 'zero-3-optimizer-offload'],
  },
  {
    tool: 'verl, fine-tuning',
    gpu: 'a100-80gb',
    path: 'sft.sh',
    text: `torchrun --nproc_per_node=2 -m verl.trainer.fsdp_sft_trainer \\
    data.train_batch_size=64 \\
    data.micro_batch_size_per_gpu=16 \\
    data.max_length=4096 \\
    model.partial_pretrain=Qwen/Qwen2.5-7B-Instruct \\
    model.enable_gradient_checkpointing=False
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'bf16-weights', 'lora', 'half-length'],
  },
  {
    tool: 'verl, GRPO',
    gpu: 'a100-40gb',
    path: 'grpo.sh',
    text: `python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    data.train_batch_size=256 \\
    data.max_prompt_length=512 \\
    data.max_response_length=2048 \\
    actor_rollout_ref.model.path=Qwen/Qwen2.5-1.5B-Instruct \\
    actor_rollout_ref.model.use_remove_padding=False \\
    actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=16 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.4 \\
    actor_rollout_ref.rollout.free_cache_engine=False \\
    actor_rollout_ref.rollout.n=8 \\
    trainer.n_gpus_per_node=4
`,
    offers: ['micro-batch', 'lora', 'half-completions', 'vllm-sleep'],
  },
  {
    tool: 'timm',
    gpu: 't4',
    path: 'args.yaml',
    text: `model: resnet152
batch-size: 512
opt: sgd
sched: cosine
epochs: 300
warmup-lr: 1.0e-6
smoothing: 0.1
mixup: 0.2
img_size: 224
amp: false
`,
    offers: ['micro-batch', 'fp16-autocast', 'smaller-images'],
  },
  {
    tool: 'Ultralytics',
    gpu: 't4',
    path: 'yolo.yaml',
    text: `model: yolo11x.pt
data: coco.yaml
epochs: 100
imgsz: 1280
batch: 32
amp: false
`,
    offers: ['micro-batch', 'fp16-autocast', 'smaller-images'],
  },
  {
    tool: "MemoryMark's own",
    gpu: 'a10',
    path: 'own.yaml',
    text: `memorymark:
  model: meta-llama/Llama-3.2-1B
  batch_size: 16
  sequence_length: 2048
  precision: amp-bf16
  attention: eager
  loop: trainer
`,
    offers: ['gradient-checkpointing', 'fused-loss', 'sdpa-attention', 'qlora'],
  },
  {
    tool: 'a script',
    gpu: 'a10',
    path: 'train.py',
    text: `from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", attn_implementation="eager")
args = SFTConfig(
    output_dir="out",
    per_device_train_batch_size=8,  # as large as the data allows
    max_length=2048,
    loss_type="nll",
    gradient_checkpointing=False,
)
trainer = SFTTrainer(model=model, args=args, train_dataset=data)
trainer.train()
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'fused-loss', 'sdpa-attention', '8-bit-optimizer'],
  },
  {
    tool: 'a notebook',
    gpu: 'a10',
    path: 'train.ipynb',
    text: `${JSON.stringify(
      {
        cells: [
          {
            cell_type: 'code',
            source: [
              'from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n',
              'model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", torch_dtype="float32")\n',
              'args = TrainingArguments(output_dir="out", per_device_train_batch_size=8, optim="adamw_torch")\n',
              'Trainer(model=model, args=args, train_dataset=data).train()\n',
            ],
          },
        ],
        metadata: { language_info: { name: 'python' } },
        nbformat: 4,
        nbformat_minor: 5,
      },
      null,
      1,
    )}\n`,
    offers: ['gradient-checkpointing', 'bf16-autocast', 'paged-optimizer'],
  },
  {
    tool: 'a launcher',
    gpu: 'a10',
    path: 'train.sh',
    text: `#!/bin/bash
llamafactory-cli train \\
  --model_name_or_path meta-llama/Meta-Llama-3-8B \\
  --stage sft --do_train --finetuning_type lora \\
  --template llama3 \\
  --cutoff_len 4096 \\
  --per_device_train_batch_size 4 \\
  --bf16
`,
    offers: ['fused-loss', '4-bit-base', 'half-length'],
  },
]

export const toolConfigs: readonly ToolConfig[] = files.map(({ path, text, ...rest }) => ({
  ...rest,
  file: { path, text },
}))
