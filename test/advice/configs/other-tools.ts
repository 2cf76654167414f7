/** Of reinforcement learning, vision and our own format. */
import type { WrittenConfig } from './tool-config.ts'

export const ofOtherTools: readonly WrittenConfig[] = [
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
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 \\
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
]
