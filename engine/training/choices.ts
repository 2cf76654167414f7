/** What the fields of a training spec may say, and what follows from one of them alone. */

export const tasks = [
  'sequence-classification',
  'token-classification',
  'question-answering',
  'sentence-similarity',
  'masked-lm',
  'causal-lm',
  'seq2seq-lm',
  'ctc',
  'audio-classification',
  'image-classification',
  'object-detection',
] as const
export type Task = (typeof tasks)[number]

/** Whether samples are images alone. */
export function isOfImages(task: Task): boolean {
  return task === 'image-classification' || task === 'object-detection'
}

/** Whether samples are sound as it is sampled. */
export function isOfSound(task: Task): boolean {
  return task === 'ctc' || task === 'audio-classification'
}

/** Whether every token has a label of its own. */
export function labelsTokens(task: Task): boolean {
  return task === 'causal-lm' || task === 'masked-lm' || task === 'seq2seq-lm' || task === 'token-classification'
}

/** Losses over the embeddings of a sample's texts, as sentence-transformers calls them; the online contrastive loss is the contrastive one. */
export const sentenceLosses = [
  'multiple-negatives-ranking',
  'cosent',
  'cosine-similarity',
  'triplet',
  'contrastive',
  'softmax',
] as const
export type SentenceLoss = (typeof sentenceLosses)[number]

/** Pairs and their ranking loss, where nothing says otherwise. */
export const assumedSentences = { columns: 2, loss: 'multiple-negatives-ranking' } as const

/** Texts of a sample, where the loss says how many; by the ranking loss one text and others, of which the first is like it. */
export const columnsOfLoss: Readonly<Record<SentenceLoss, number | undefined>> = {
  'multiple-negatives-ranking': undefined,
  cosent: 2,
  'cosine-similarity': 2,
  triplet: 3,
  contrastive: 2,
  softmax: 2,
}

/** What a sentence's embedding is of its tokens'. */
export const poolings = ['mean', 'cls', 'max', 'lasttoken'] as const

export const optimizers = [
  'adamw',
  'adamw-fused',
  'adamw-loop',
  'sgd',
  'sgd-momentum',
  'adafactor',
  'lion',
  'lion-32bit',
  'rmsprop',
  'adamw-8bit',
  'paged-adamw-8bit',
  'paged-adamw',
  'adam-mini',
] as const
export type Optimizer = (typeof optimizers)[number]

/**
 * `fp32` with TF32 products off and `tf32` with them on; `bf16`: weights held and computed in bfloat16; `bf16-master`: the same
 * beside fp32 master weights in the optimizer (DeepSpeed); `amp-*`: fp32 weights under torch.autocast.
 */
export const precisions = ['fp32', 'tf32', 'bf16', 'bf16-master', 'amp-bf16', 'amp-fp16'] as const
export type Precision = (typeof precisions)[number]

export function computesInFloat32({ precision }: { readonly precision: Precision }): boolean {
  return precision === 'fp32' || precision === 'tf32'
}

/** Whether a GPU has to have bfloat16 for it. */
export function computesInBfloat16({ precision, inFloat16 }: Arithmetic): boolean {
  return precision.includes('bf16') && !inFloat16
}

interface Arithmetic {
  readonly precision: Precision
  readonly inFloat16?: true | undefined
}

export const stepProfiles = ['training', 'forward-backward'] as const
export type StepProfile = (typeof stepProfiles)[number]

/** `flash`: the flash-attn package's own kernels, which see windows and padding without a mask. */
export const attentions = ['sdpa', 'eager', 'flash'] as const
export type Attention = (typeof attentions)[number]

/** Kernels that scaled_dot_product_attention can be pinned to (torch.nn.attention.sdpa_kernel), so that no other stands in. */
export const sdpaKernels = ['efficient'] as const

export const loops = [
  'plain',
  'trainer',
  'lightning',
  'ultralytics',
  'verl',
  'torchtitan',
  'nemo-rl',
  'nemo-rl-v2',
  'openrlhf',
] as const
export type Loop = (typeof loops)[number]

/** Whose loops turn the key/value cache of decoders off (`use_cache`). */
export function keepsNoCache(loop: Loop): boolean {
  return loop === 'trainer' || loop === 'openrlhf'
}

/** Either of NeMo-RL's policy workers on DTensors. */
export function isOfNemoRl(loop: Loop): boolean {
  return loop === 'nemo-rl' || loop === 'nemo-rl-v2'
}

/**
 * Whose way of running a mixture's experts, where it is not transformers' own:
 * - `axolotl-kernels`: ScatterMoE's or SonicMoE's; adapters on experts' matrices stay low-rank products, while peft merges them.
 * - `axolotl-linear`: Llama 4's as linear layers, one after the other (`llama4_linearized_experts`).
 * - `torchtune`: Llama 4's on the rows chosen for them alone, and adapters on them too.
 */
export const expertStyles = ['linear', 'axolotl-kernels', 'axolotl-linear', 'torchtune'] as const
export type ExpertStyle = (typeof expertStyles)[number]

/** The framework of the training script. It decides which probes apply. */
export const frameworks = ['pytorch', 'tensorflow.js'] as const
export type Framework = (typeof frameworks)[number]

/**
 * bitsandbytes' 4-bit and 8-bit weights, of which `nf4-double` quantises the block constants too; 4-bit integers as stored by GPTQ and
 * AWQ; AQLM's 2 bits a weight, of one codebook of 16 bits.
 */
export const quantizations = ['nf4', 'nf4-double', 'int8', 'gptq', 'awq', 'aqlm'] as const
export type Quantization = (typeof quantizations)[number]

/** bitsandbytes' or torchao's, whose state is in 8 bits. */
export function isInEightBits(optimizer: Optimizer): boolean {
  return optimizer.endsWith('-8bit')
}

/** bitsandbytes' 4-bit floats. */
export function isOfFourBits(quantization: Quantization | undefined): boolean {
  return quantization === 'nf4' || quantization === 'nf4-double'
}

/** peft's default targets for Llama-like models, the projections that the LoRA paper adapts. */
export const defaultLoraTargets: readonly string[] = ['q_proj', 'v_proj']

/**
 * How several GPUs share a model: copies (DDP), or optimizer state, gradients and weights divided (ZeRO 1, 2, 3; FSDP as 3, and
 * `fsdp-grad-op` with weights that stay whole from the forward pass to the backward pass: SHARD_GRAD_OP).
 */
export const shardings = ['ddp', 'zero1', 'zero2', 'zero3', 'fsdp', 'fsdp-grad-op'] as const
export type Sharding = (typeof shardings)[number]

export function isFsdp(sharding: Sharding | undefined): boolean {
  return sharding === 'fsdp' || sharding === 'fsdp-grad-op'
}
