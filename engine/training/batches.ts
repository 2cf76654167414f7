/** What a training spec says of its batches, and of the GPUs among which they and the weights are divided. */
import { assumedSentences, isFsdp } from './choices.ts'
import type { TrainingSpec } from './spec.ts'

/** Sequences per sample in a forward pass. */
export function sequencesPerSample({ method }: Pick<TrainingSpec, 'method'>): number {
  switch (method?.kind) {
    case 'preference':
      return 2
    case 'reward':
      return method.head === 'steps' ? 1 : 2
    case 'rollouts':
      return method.perPrompt
    case 'kto':
    case 'distillation':
    case 'asft':
    case 'masked-diffusion':
    case 'online':
    case undefined:
      return 1
  }
}

/** Constraints on the batch if completions are generated for several micro-batches at once. */
export interface BatchBounds {
  /** Micro-batches have to divide it. */
  readonly dividend: number
  readonly accumulates: boolean
}

export function batchBounds({
  method,
  microBatch,
  gradientAccumulation,
}: Pick<TrainingSpec, 'method' | 'microBatch' | 'gradientAccumulation'>): BatchBounds | undefined {
  if (method?.kind === 'online') {
    const dividend = method.ofEachBatch ? microBatch * gradientAccumulation : method.completions
    return { dividend, accumulates: true }
  }
  return method?.kind === 'rollouts' ? { dividend: method.collected, accumulates: method.accumulates } : undefined
}

/** Groups of GPUs that each compute a whole model; DDP, ZeRO and FSDP work between them. */
export function modelCopies({ gpus, tensorParallel }: Pick<TrainingSpec, 'gpus' | 'tensorParallel'>): number {
  return Math.max(1, gpus / (tensorParallel?.gpus ?? 1))
}

/** GPUs among which the weights of one copy are divided, where anything divides them. */
export function shardingGroup(spec: Pick<TrainingSpec, 'gpus' | 'tensorParallel' | 'shardedOver'>): number {
  return spec.shardedOver ?? modelCopies(spec)
}

/** Whether FSDP wraps the model: of other tools only where there are several GPUs, of verl and NeMo-RL's first worker always. */
export function isWrappedByFsdp({ sharding, gpus, loop }: Pick<TrainingSpec, 'sharding' | 'gpus' | 'loop'>): boolean {
  return isFsdp(sharding) && (gpus > 1 || loop === 'verl' || loop === 'nemo-rl')
}

/** Whether training generates completions between its steps, which takes most of the time. */
export function generatesCompletions({ method }: Pick<TrainingSpec, 'method'>): boolean {
  return method?.kind === 'online' || method?.kind === 'rollouts'
}

/** Whether micro-batches run beside the gradients of earlier ones, which takes memory. */
export function accumulatesGradients(
  spec: TrainingSpec,
  { gradientAccumulation }: Pick<TrainingSpec, 'gradientAccumulation'> = spec,
): boolean {
  return spec.step === 'training' && gradientAccumulation > 1
}

/**
 * Whether the loss compares the samples of a micro-batch with each other, as losses over embeddings of sentences do with negatives or
 * pairs of a batch: gradients of several micro-batches are then not those of one that is as large.
 */
export function comparesWithinBatch({ task, sentences }: Pick<TrainingSpec, 'task' | 'sentences'>): boolean {
  const { loss } = sentences ?? assumedSentences
  return task === 'sentence-similarity' && ['multiple-negatives-ranking', 'cosent', 'contrastive'].includes(loss)
}

/** Samples in one optimizer step over all GPUs. Those that share a sequence share its sample. */
export function effectiveBatch(spec: TrainingSpec): number {
  const samplesAtATime = Math.max(1, modelCopies(spec) / (spec.contextParallel ?? 1))
  return spec.microBatch * spec.gradientAccumulation * samplesAtATime
}
