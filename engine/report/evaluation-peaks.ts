/** The memory of evaluations between training steps: of a batch, and of what metrics keep. */
import { evaluationOf } from '../estimate/evaluation.ts'
import { deviceFor } from '../estimate/footprint-cache.ts'
import { generationBytes } from '../estimate/generation.ts'
import { hasFlatParameters } from '../estimate/library-rules.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { workspaceBytesOf } from '../probes/estimate.ts'
import { modelCopies } from '../training/batches.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { estimatedRow, type RunPeakOptions } from './peak-rows.ts'
import type { RunPeak } from './schema.ts'

/** More than anybody evaluates. */
const MAX_BATCHES = 2 ** 30

export function evaluationPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const { evaluation } = spec
  if (evaluation === undefined || !isEvaluationKnown(spec, config)) return []
  const { gpu, footprints } = options
  const passes = evaluationOf(spec, config, deviceFor(spec, gpu))
  const resting = footprints.of(spec, config, gpu).resting(workspaceBytesOf(gpu)).bytes
  const { microBatch, accumulation, samples, generates, lossOnly } = evaluation
  const passBytes = passes.bytesAt(microBatch)
  const row = (phase: RunPeak['phase'], bytes: number) => ({ ...estimatedRow(phase, bytes, options), microBatch })
  const isFitting = (bytes: number) => row('evaluation', bytes).state === 'fits'
  const fits = (size: number) => isFitting(resting + passes.bytesAt(size))
  const fitting = fits(microBatch) ? undefined : largestBelow(microBatch, fits)
  const each: RunPeak = {
    ...row('evaluation', resting + passBytes),
    ...(fitting !== undefined && { fittingMicroBatch: fitting }),
  }
  if (lossOnly || passes.keptBytesPerSample === 0) return [each]
  if (generates !== undefined) return [each, ...generationPeaks(spec, config, { ...options, resting })]
  const logitBytesPerSample = passes.keptBytesPerSample
  // accelerator.gather gives every GPU the logits of all GPUs.
  const samplesAtATime = microBatch * modelCopies(spec)
  const bytesWith = (batches: number) => resting + keptBytes(passBytes, logitBytesPerSample * samplesAtATime, batches)
  const keeps = (batches: number) => isFitting(bytesWith(batches))
  const batches = accumulation ?? (samples && Math.ceil(samples / samplesAtATime))
  if (batches === undefined) {
    const fittingSamples = samplesAtATime * (largestBelow(MAX_BATCHES, keeps) ?? 0)
    return [{ ...each, logitBytesPerSample, fittingSamples }]
  }
  const fittingAccumulation = keeps(batches) ? undefined : largestBelow(batches, keeps)
  const withMetrics = {
    ...row('evaluation-with-metrics', bytesWith(batches)),
    logitBytesPerSample,
    ...(fittingAccumulation !== undefined && { fittingAccumulation }),
  }
  return [each, withMetrics]
}

/** Metrics that get generated text keep only its tokens. `resting`: bytes between steps. */
function generationPeaks(
  spec: TrainingSpec,
  config: ModelConfig,
  options: RunPeakOptions & { readonly resting: number },
): readonly RunPeak[] {
  // trainer_seq2seq.py prediction_step gathers the whole model of FSDP1 for it (summon_full_params), which is not modelled.
  if (hasFlatParameters(spec)) return []
  const { microBatch = 1 } = spec.evaluation ?? {}
  const device = deviceFor(spec, options.gpu)
  const rowOf = (size: number) => {
    const bytes = generationBytes(spec, config, device, size)
    return bytes === undefined ? undefined : estimatedRow('generation', options.resting + bytes, options)
  }
  const row = rowOf(microBatch)
  if (row === undefined) return []
  const fitting = row.state === 'fits' ? undefined : largestBelow(microBatch, size => rowOf(size)?.state === 'fits')
  return [{ ...row, microBatch, ...(fitting !== undefined && { fittingMicroBatch: fitting }) }]
}

/** The largest size below `tooLarge` that fits; undefined if none does. */
function largestBelow(tooLarge: number, fits: (size: number) => boolean): number | undefined {
  let [low, high] = [0, tooLarge]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return low === 0 ? undefined : low
}

/**
 * Bytes of logits that an evaluation keeps of so many batches: of all, or of those after which they are moved off the
 * GPU (eval_accumulation_steps). In transformers 5.18 trainer.py evaluation_loop with compute_metrics, earlier batches'
 * logits are one tensor and the last batch's are still referenced; torch.cat allocates a third as large as both.
 */
function keptBytes(passBytes: number, batchBytes: number, batches: number): number {
  if (batches === 1) return Math.max(passBytes, batchBytes)
  return Math.max(passBytes + batches * batchBytes, 2 * batches * batchBytes)
}

/**
 * Whether the evaluation's estimate has been checked: of models' own losses and of TRL's methods against PyTorch's trace, of weights
 * that are divided against FSDP itself, and of DeepSpeed's and Unsloth's by their source.
 */
function isEvaluationKnown({ framework, loop, evaluation, ...spec }: TrainingSpec, config: ModelConfig): boolean {
  const isFusedUnknown = spec.fusedLoss === true && !spec.unslothKernels && evaluation?.fusesLoss === undefined
  const isLossKnown = spec.chunkedLoss === undefined && !spec.compiled && !isFusedUnknown
  const isUndivided = spec.tensorParallel === undefined && spec.expertParallel === undefined
  // Its cache also holds what the decoder sees of the images.
  const isCacheKnown = spec.images === undefined || config.model_type !== 'mllama'
  const isKnown = isLossKnown && isUndivided && isCacheKnown && isMethodKnown(spec, evaluation?.microBatch)
  return framework === 'pytorch' && loop === 'trainer' && isKnown
}

/**
 * TRL's and LLaMA-Factory's prediction_step computes their training's loss; Axolotl's EBFT compares features. Of one sequence alone some
 * copies of logits are none.
 */
function isMethodKnown({ method }: Pick<TrainingSpec, 'method'>, samples = 1): boolean {
  switch (method?.kind) {
    case undefined:
    case 'reward':
      return true
    case 'preference':
      return samples > 1 || !method.withCrossEntropy
    case 'kto':
      return samples > 1
    case 'online':
      return samples > 1 && !method.comparesFeatures
    default:
      return false
  }
}
