/** Of the Trainer, TRL and what stands on them. */
import type { WrittenConfig } from './tool-config.ts'

export const ofHuggingFace: readonly WrittenConfig[] = [
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
    tool: 'DeepSpeed, beside which the Trainer takes any optimizer',
    gpu: 'l40s',
    path: 'zero.yaml',
    text: `model_name_or_path: meta-llama/Llama-2-7b-hf
task: causal-lm
n_gpus: 2
per_device_train_batch_size: 1
gradient_accumulation_steps: 4
block_size: 1024
bf16: true
gradient_checkpointing: true
deepspeed: { zero_optimization: { stage: 2 }, bf16: { enabled: true }, train_micro_batch_size_per_gpu: auto }
`,
    offers: ['8-bit-optimizer', 'paged-optimizer', 'zero-3'],
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
    // Not half the length with Adafactor, which transformers' cannot step under FSDP2.
    offers: ['fsdp-offload', 'another-card'],
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
    offers: ['micro-batch', 'gradient-checkpointing', 'fused-loss', 'sdpa-attention', 'paged-8-bit-optimizer'],
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
