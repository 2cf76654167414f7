/** Each lever in words: its name, what it brings and what it costs. */
import type { AdvisedLever, Effect, LeverFit, LeverId } from '../report/advised-levers.ts'

export interface LeverWords {
  /** As a table shows it. */
  readonly name: string
  /** Sentences without a full stop. */
  readonly gets: string
  readonly pays: string
}

export const leverWords: Readonly<Record<LeverId, LeverWords>> = {
  'micro-batch': {
    name: 'smaller micro-batch',
    gets: 'fewer samples are on the GPU at a time; gradients of several add up before the weights change',
    pays: 'more, smaller passes per step; batch normalisation, where a model has it, sees fewer samples',
  },
  'gradient-checkpointing': {
    name: 'gradient checkpointing',
    gets: 'a layer keeps only its input from the forward pass',
    pays: 'the backward pass computes every layer a second time',
  },
  'selective-checkpointing': {
    name: 'checkpointing of every second layer',
    gets: 'every second layer keeps only its input from the forward pass',
    pays: 'the backward pass computes these layers a second time',
  },
  'activation-offloading': {
    name: 'activation offloading',
    gets: 'what checkpointing keeps waits in the memory of the host',
    pays: 'it is copied there and back in every step',
  },
  'fused-loss': {
    name: 'fused loss (Liger)',
    gets: 'the loss is computed piece by piece, and the table of all logits is never held',
    pays: 'the package liger-kernel has to be installed',
  },
  'chunked-loss': {
    name: 'chunked loss',
    gets: 'the loss is computed in chunks of tokens, and the table of all logits is never held',
    pays: 'next to nothing',
  },
  'sdpa-attention': {
    name: 'fused attention (sdpa)',
    gets: 'the table of all attention weights is never held',
    pays: 'nothing; the weights themselves can no longer be looked at',
  },
  'flash-attention': {
    name: 'flash attention',
    gets: 'attention takes the lengths of sequences instead of a mask, which is a number for every pair of tokens',
    pays: 'nothing; the package flash-attn has to be installed',
  },
  compile: {
    name: 'torch.compile',
    gets: 'kernels of neighbouring operations become one, and what lies between them is never held',
    pays: 'minutes of compiling at the start, and again for every new shape of a batch',
  },
  'fused-optimizer': {
    name: 'fused optimizer',
    gets: 'all weights are updated in one kernel, without copies of them',
    pays: 'nothing',
  },
  'optimizer-in-backward': {
    name: 'optimizer in the backward pass',
    gets: 'each gradient is applied and freed as soon as it is there',
    pays: 'no gradient accumulation, and no clipping of the whole gradient',
  },
  '8-bit-optimizer': {
    name: '8-bit optimizer',
    gets: "the optimizer's two numbers per trained weight take 1 byte each instead of 2 or 4",
    pays: 'they are rounded; bitsandbytes has to be installed',
  },
  'paged-8-bit-optimizer': {
    name: 'paged 8-bit optimizer',
    gets: 'as the 8-bit optimizer, and its memory may move to the host when the GPU is short of it',
    pays: 'its numbers are rounded, and copies take time when they move; bitsandbytes has to be installed',
  },
  'paged-optimizer': {
    name: 'paged optimizer',
    gets: "the optimizer's two numbers per trained weight may move to the host when the GPU is short of memory",
    pays: 'copies take time when they move; bitsandbytes has to be installed',
  },
  adafactor: {
    name: 'Adafactor instead of AdamW',
    gets: 'the optimizer keeps row and column averages instead of two numbers per weight',
    pays: 'another optimizer: revisit the learning rate',
  },
  'bf16-autocast': {
    name: 'bf16 autocast',
    gets: 'what layers compute and keep takes 2 bytes per number instead of 4',
    pays: 'fewer digits in the products; the weights keep all of theirs',
  },
  'fp16-autocast': {
    name: 'fp16 autocast',
    gets: 'what layers compute and keep takes 2 bytes per number instead of 4',
    pays: 'fewer digits in the products, and losses are scaled so that gradients do not vanish',
  },
  'bf16-weights': {
    name: 'bf16 weights',
    gets: 'weights, gradients and optimizer take 2 bytes per number instead of 4',
    pays: 'small updates of a weight are rounded away',
  },
  lora: {
    name: 'LoRA adapters instead of full fine-tuning',
    gets: 'only small matrices beside the weights are trained, so gradients and optimizer almost vanish',
    pays: 'the model can learn less; a higher learning rate is usual',
  },
  qlora: {
    name: 'QLoRA instead of full fine-tuning',
    gets: 'only small matrices are trained, beside weights that are held in 4 bits',
    pays: 'the model can learn less, on rounded weights; bitsandbytes has to be installed',
  },
  '4-bit-base': {
    name: '4-bit base weights (QLoRA)',
    gets: 'the frozen weights under the adapters take about half a byte each instead of 2',
    pays: 'they are rounded, and every use unpacks them; bitsandbytes has to be installed',
  },
  'freeze-embeddings': {
    name: 'frozen embeddings',
    gets: 'the table of tokens has no gradients and no optimizer state',
    pays: 'new tokens are not learnt',
  },
  'half-length': {
    name: 'sequences half as long',
    gets: 'everything that layers keep for a sample takes half the memory or less',
    pays: 'longer samples are cut off, or packed into more sequences',
  },
  'half-completions': {
    name: 'completions half as long',
    gets: 'fewer tokens per completion to keep and to learn from',
    pays: 'longer answers are cut off, and score as such',
  },
  'smaller-images': {
    name: 'smaller images',
    gets: 'fewer pixels per image to keep',
    pays: 'small details are lost',
  },
  'vllm-sleep': {
    name: "vLLM's sleep mode",
    gets: 'vLLM gives its memory back while the model trains',
    pays: 'it takes it again before every generation',
  },
  'vllm-half-share': {
    name: "half of vLLM's share",
    gets: 'vLLM takes half as much of the GPU for itself',
    pays: 'fewer completions are generated at a time',
  },
  'zero-1': {
    name: 'ZeRO stage 1',
    gets: "the GPUs divide the optimizer's numbers instead of each holding all",
    pays: 'updated weights are exchanged after every step; deepspeed has to be installed',
  },
  'zero-2': {
    name: 'ZeRO stage 2',
    gets: 'the GPUs divide optimizer and gradients instead of each holding all',
    pays: 'gradients and updated weights are exchanged in every step; deepspeed has to be installed',
  },
  'zero-2-offload': {
    name: 'ZeRO stage 2 with offload',
    gets: "gradients are divided where there are several GPUs, and the optimizer's numbers wait in the memory of the host",
    pays: 'the optimizer runs on the CPU, and gradients and weights are copied in every step; deepspeed has to be installed',
  },
  'zero-3': {
    name: 'ZeRO stage 3',
    gets: 'the GPUs divide weights, gradients and optimizer instead of each holding all',
    pays: 'every layer is fetched from the other GPUs whenever it is used; deepspeed has to be installed',
  },
  'zero-3-optimizer-offload': {
    name: 'ZeRO stage 3 with the optimizer offloaded',
    gets: "as stage 3, and the optimizer's numbers wait in the memory of the host",
    pays: 'the optimizer runs on the CPU, and gradients and weights are copied in every step; deepspeed has to be installed',
  },
  'zero-3-offload': {
    name: 'ZeRO stage 3 with offload',
    gets: 'as stage 3, and weights and optimizer wait in the memory of the host',
    pays: 'they are copied in every step, and the optimizer runs on the CPU; deepspeed has to be installed',
  },
  fsdp: {
    name: 'FSDP',
    gets: 'the GPUs divide weights, gradients and optimizer instead of each holding all',
    pays: 'every layer is fetched from the other GPUs whenever it is used',
  },
  'fsdp-offload': {
    name: "FSDP, offloaded to the host's memory",
    gets: 'weights, gradients and the optimizer wait in the memory of the host',
    pays: 'every layer is copied to the GPU whenever it is used, and the CPU updates the weights',
  },
  'tensor-parallel': {
    name: 'tensor parallelism over two GPUs',
    gets: 'two GPUs hold half of every layer each and compute the same samples',
    pays: 'they exchange results in every layer; twice as many passes for the same batch',
  },
  'context-parallel': {
    name: 'context parallelism',
    gets: 'GPUs hold a part of the tokens of a sequence each',
    pays: 'they exchange keys and values in every layer; as many times the passes for the same batch; Axolotl needs the package ring-flash-attn',
  },
  'expandable-segments': {
    name: 'expandable segments',
    gets: "PyTorch's allocator leaves fewer gaps between tensors",
    pays: 'nothing',
  },
  'another-card': {
    name: 'another GPU',
    gets: 'the config runs as it is',
    pays: 'its price',
  },
}

/** What it brings and costs, as sentences. */
export function getsAndPays(id: LeverId): string {
  const { gets, pays } = leverWords[id]
  return `${gets}. You pay: ${pays}.`
}

/** What a lever does to the training's result. */
export const effectWords: Readonly<Record<Effect, string>> = {
  none: 'unchanged',
  numerics: 'rounded more',
  'changes-the-result': 'another result',
}

export const fitWords: Readonly<Record<LeverFit, string>> = {
  fits: 'fits',
  'may-fit': 'may fit',
  'does-not-fit': 'does not fit',
}

/** `Micro-batch 8 → 2 and gradient checkpointing`, without a capital of its own. */
export function namesOf(lever: AdvisedLever, microBatch: number): string {
  const names = lever.changes.map(id => {
    if (id === 'micro-batch') return `micro-batch ${microBatch} → ${lever.microBatch}`
    return id === 'another-card' && lever.gpu
      ? `${lever.gpu.name} at $${lever.gpu.pricePerHourUsd.toFixed(2)} an hour`
      : leverWords[id].name
  })
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
