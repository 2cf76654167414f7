/**
 * Moments of the run besides the training step that could run out of memory, such as loading and evaluation, each
 * judged like the step. A moment is left out unless a source or PyTorch's trace tells its memory.
 */
import type { TrainingSpec } from '../config/spec.ts'
import { modelCopies } from '../config/spec.ts'
import { evaluationOf } from '../estimate/evaluation.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { type Gpu, hasFlashAttention } from '../gpus/catalogue.ts'
import { highestPeak, lowestPeak, type MemoryBand } from '../metrics/range.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { CUBLAS_HANDLES } from '../probes/estimate.ts'
import type { Provenance } from '../probes/trial.ts'
import type { OperatingPoint, RunPeak } from './schema.ts'

export interface RunPeakOptions {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
  readonly usableBytes: number
  readonly current: OperatingPoint
  readonly provenance: Provenance
  readonly errorBand: MemoryBand
  /** Measured peaks of the team's runs over estimated ones, as a factor. */
  readonly memoryFactor: number
}

/** The training step and the other known moments; undefined if only the step is known. */
export function runPeaks(
  spec: TrainingSpec,
  config: ModelConfig,
  options: RunPeakOptions,
): readonly RunPeak[] | undefined {
  const loading = loadingPeaks(spec, config, options)
  const evaluation = evaluationPeaks(spec, config, options)
  if (loading.length + evaluation.length === 0) return undefined
  const { current, provenance } = options
  const step: RunPeak = {
    phase: 'training-step',
    microBatch: current.microBatch,
    peakBytes: current.peakBytes,
    state: current.fits ? stateOf(current.peakBytes, options) : 'does-not-fit',
    provenance,
  }
  // A step that was measured and fits needs no error band.
  if (provenance === 'measured' && current.fits) return [{ ...step, state: 'fits' }, ...evaluation]
  return [...loading, step, ...evaluation]
}

/**
 * A quantised model whose weights are loaded whole on every GPU before they are sharded. There is no optimizer state
 * yet.
 */
function loadingPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  if (spec.loadsWhole === undefined || modelCopies(spec) === 1) return []
  const { offload: _, ...onGpu } = spec
  const peakBytes = options.footprints.of({ ...onGpu, gpus: 1 }, config, options.gpu).resting(0).breakdown.weights
  return [{ phase: 'loading', peakBytes, state: stateOf(peakBytes, options), provenance: 'estimated' }]
}

function evaluationPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const { evaluation } = spec
  if (evaluation === undefined || !isEvaluationKnown(spec)) return []
  const { gpu, footprints, memoryFactor } = options
  const isFloat32 = spec.precision === 'fp32' || spec.precision === 'tf32'
  const passes = evaluationOf(spec, config, { hasFlash: isFloat32 || hasFlashAttention(gpu) })
  const resting = footprints.of(spec, config, gpu).resting(gpu.cublasWorkspaceBytes * CUBLAS_HANDLES).bytes
  const { microBatch, accumulation, lossOnly } = evaluation
  const passBytes = passes.bytesAt(microBatch)
  const row = (bytes: number) => {
    const peakBytes = bytes * memoryFactor
    return { microBatch, peakBytes, state: stateOf(peakBytes, options), provenance: 'estimated' as const }
  }
  const fits = (size: number) => row(resting + passes.bytesAt(size)).state === 'fits'
  const fitting = fits(microBatch) ? undefined : largestFitting(microBatch, fits)
  const each: RunPeak = {
    phase: 'evaluation',
    ...row(resting + passBytes),
    ...(fitting !== undefined && { fittingMicroBatch: fitting }),
  }
  if (lossOnly) return [each]
  const { logitBytesPerSample } = passes
  if (accumulation === undefined) return [{ ...each, logitBytesPerSample }]
  // accelerator.gather gives every GPU the logits of all GPUs.
  const batchBytes = logitBytesPerSample * microBatch * modelCopies(spec)
  const bytes = resting + keptBytes(passBytes, batchBytes, accumulation)
  return [each, { phase: 'evaluation-with-metrics', ...row(bytes), logitBytesPerSample }]
}

/** The largest size below `tooLarge` that fits; undefined if none does. */
function largestFitting(tooLarge: number, fits: (size: number) => boolean): number | undefined {
  let [low, high] = [0, tooLarge]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  return low === 0 ? undefined : low
}

/**
 * Bytes of logits that an evaluation keeps. In transformers 5.18 trainer.py evaluation_loop with compute_metrics,
 * earlier batches' logits are one tensor and the last batch's are still referenced; torch.cat allocates a third as
 * large as both. After every `accumulation` batches (eval_accumulation_steps) they are moved off the GPU.
 */
function keptBytes(passBytes: number, batchBytes: number, accumulation: number): number {
  if (accumulation === 1) return Math.max(passBytes, batchBytes)
  return Math.max(passBytes + accumulation * batchBytes, 2 * accumulation * batchBytes)
}

/**
 * Whether the evaluation's estimate has been checked against PyTorch: language models with their own loss and unsharded
 * weights. Whether Liger's loss keeps the logits depends on its release.
 */
function isEvaluationKnown({ framework, task, method, sharding, ...spec }: TrainingSpec): boolean {
  const isText = task === 'causal-lm' || task === 'masked-lm' || task === 'seq2seq-lm'
  const isInParts = spec.fusedLoss || spec.chunkedLoss !== undefined || spec.checkpointedLoss
  const hasOwnLoss = method === undefined && !isInParts && !spec.compiled
  const isWhole = sharding === undefined || sharding === 'ddp' || sharding === 'zero1' || sharding === 'zero2'
  const isUndivided = spec.tensorParallel === undefined && spec.expertParallel === undefined
  const isOfText = spec.images === undefined && !spec.trainsTowers
  return framework === 'pytorch' && isText && hasOwnLoss && isWhole && isUndivided && isOfText
}

function stateOf(peakBytes: number, { usableBytes, errorBand }: RunPeakOptions): RunPeak['state'] {
  if (lowestPeak({ peakBytes, errorBand }) > usableBytes) return 'does-not-fit'
  return highestPeak({ peakBytes, errorBand }) > usableBytes ? 'may-not-fit' : 'fits'
}
