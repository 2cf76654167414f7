/** How far off an estimate may be, and which parts of a step no trace has confirmed. */

import { SETTINGS_PATH } from '../config/fields/supplied.ts'
import {
  familyOf,
  hasExperts,
  isAudioModel,
  isVisionLanguageModel,
  joinsImages,
  type ModelConfig,
  readsImages,
} from '../models/architecture.ts'
import { type ExpertStyle, isFsdp, isOfNemoRl } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { readBands } from './bands.ts'
import { hasLinearAttentionKernels, withReleasedExperts } from './library-rules.ts'

/** `npm run bench:accuracy` fails if PyTorch's trace lies further from an estimate, in percent of the peak. */
export const TRACED_BAND_PERCENT = 3

/** The class of a step by which its error band is chosen, in words. */
const bandClasses = [
  'full training on one GPU',
  'adapters on one GPU',
  'several GPUs',
  'full training on one GPU, in part untraced',
  'adapters on one GPU, in part untraced',
  'several GPUs, in part untraced',
  'offloading to the host',
] as const
export type BandClass = (typeof bandClasses)[number]

/** A class with fewer readings gets twice the nearest class's band, and at least this wide. */
const WIDE_PERCENT = 30
export const MIN_READINGS = 3

export const nearestClass: Readonly<Record<BandClass, BandClass>> = {
  'full training on one GPU': 'full training on one GPU, in part untraced',
  'adapters on one GPU': 'adapters on one GPU, in part untraced',
  'several GPUs': 'several GPUs, in part untraced',
  'full training on one GPU, in part untraced': 'adapters on one GPU, in part untraced',
  'adapters on one GPU, in part untraced': 'full training on one GPU, in part untraced',
  'several GPUs, in part untraced': 'adapters on one GPU, in part untraced',
  'offloading to the host': 'several GPUs, in part untraced',
}

/** Where real GPUs may lie, in percent of the estimate: `lowPercent` is 0 or below, `highPercent` 0 or above. */
export interface BandLimits {
  readonly lowPercent: number
  readonly highPercent: number
}

export interface ErrorBand extends BandLimits {
  readonly of: BandClass
  /** Published readings of the class; with fewer than three, the band is twice that of the nearest class. */
  readonly readings: number
}

export function bandClassOf(written: TrainingSpec, config: ModelConfig): BandClass {
  const spec = withReleasedExperts(written, config)
  if (spec.offload !== undefined) return 'offloading to the host'
  const isTraced = neverRun(spec) === undefined && sentencesOn(spec, config).length === 0
  if (exchangingLibrary(spec) !== undefined) return isTraced ? 'several GPUs' : 'several GPUs, in part untraced'
  if (spec.lora === undefined) {
    return isTraced ? 'full training on one GPU' : 'full training on one GPU, in part untraced'
  }
  return isTraced ? 'adapters on one GPU' : 'adapters on one GPU, in part untraced'
}

export function errorBand(spec: TrainingSpec, config: ModelConfig): ErrorBand {
  return nearestBand(bandClassOf(spec, config), readBands)
}

/** The band of a class, or a wide one where `bands` has too few readings of it. */
export function nearestBand(of: BandClass, bands: Partial<Record<BandClass, Omit<ErrorBand, 'of'>>>): ErrorBand {
  const own = bands[of]
  if (own !== undefined && own.readings >= MIN_READINGS) return { ...own, of }
  const { lowPercent, highPercent } = bands[nearestClass[of]] ?? { lowPercent: 0, highPercent: 0 }
  return {
    lowPercent: Math.min(-WIDE_PERCENT, 2 * lowPercent),
    highPercent: Math.max(WIDE_PERCENT, 2 * highPercent),
    of,
    readings: own?.readings ?? 0,
  }
}

/** The larger half of the band. */
export function errorBandPercent(spec: TrainingSpec, config: ModelConfig): number {
  const { lowPercent, highPercent } = errorBand(spec, config)
  return Math.max(-lowPercent, highPercent)
}

/** The part of a step that the trace cannot run; undefined if it can run all of it. */
export function beyondTrace(spec: TrainingSpec): string | undefined {
  return spec.gpus > 1 ? 'several GPUs' : beyondTorch(spec)
}

const untraced: ReadonlySet<TrainingSpec['optimizer']> = new Set([
  'lion',
  'lion-32bit',
  'paged-adamw',
  'adam-mini',
] as const)

/** Ways of running experts that no trace covers. */
const untracedExperts: Readonly<Record<ExpertStyle, string>> = {
  linear: 'quantised experts',
  'axolotl-kernels': "Axolotl's kernels for experts",
  'axolotl-linear': 'experts as linear layers',
  torchtune: "torchtune's experts",
}

/** The part of a step that the Python worker cannot run on any device; undefined if it can run all of it. */
export function beyondTorch(spec: TrainingSpec): string | undefined {
  if (spec.sharding?.startsWith('zero')) return "DeepSpeed's sharding"
  if (spec.loop === 'verl' && spec.sharding !== undefined) return "verl's use of FSDP"
  if (isOfNemoRl(spec.loop)) return "NeMo-RL's workers"
  if (spec.modelCode === 'litgpt') return "LitGPT's own models"
  if (spec.modelCode === 'torchtitan') return "torchtitan's own models"
  return neverRun(spec) ?? (spec.gpus > 1 ? beyondSeveralProcesses(spec) : undefined)
}

/**
 * A step that calls parts of its model directly bypasses the wrappers of DistributedDataParallel and FSDP; and
 * fully_shard does not support bitsandbytes' parameter class.
 */
function beyondSeveralProcesses({ sharding = 'ddp', quantization, method }: TrainingSpec): string | undefined {
  if (isFsdp(sharding) && quantization !== undefined) return 'quantised weights under FSDP'
  if (method?.kind === 'distillation') return 'distillation on several GPUs'
  if (method?.kind === 'reward' && method.head === 'value') return 'a value head on several GPUs'
  if (method?.kind === 'online' && method.comparesFeatures) return 'EBFT on several GPUs'
  return undefined
}

/** The library that shares the model among GPUs; undefined if one GPU has all of it. */
function exchangingLibrary({ sharding = 'ddp', gpus }: TrainingSpec): string | undefined {
  if (sharding.startsWith('zero')) return 'DeepSpeed'
  if (gpus === 1) return undefined
  return isFsdp(sharding) ? 'FSDP' : 'DistributedDataParallel'
}

const storedInIntegers: ReadonlySet<string> = new Set(['gptq', 'awq', 'aqlm'])

/** The part of a step that only the estimate covers; undefined if all of it has been run. */
function neverRun(spec: TrainingSpec): string | undefined {
  if (spec.loop === 'ultralytics') return "Ultralytics' trainer"
  if (spec.method?.kind === 'online' && spec.method.criticHolds !== undefined)
    return "verl's critic and vLLM on the training GPU"
  if (spec.method?.kind === 'online' && spec.method.generation.kind === 'vllm') return 'vLLM on the training GPU'
  if (spec.quantization !== undefined && storedInIntegers.has(spec.quantization))
    return `${spec.quantization.toUpperCase()} weights`
  if (spec.tensorParallel !== undefined) return 'tensor parallelism'
  if (spec.method?.kind === 'rollouts') return "torchtune's GRPO and PPO recipes"
  if (spec.expertStyle !== undefined) return untracedExperts[spec.expertStyle]
  if (spec.quantizedExperts) return 'quantised experts'
  if (spec.fakeQuantization?.format !== undefined) return '4-bit floats'
  if (spec.float8) return '8-bit floats'
  if (spec.offload !== undefined) return 'offloading'
  if (spec.trainsTowers && spec.images?.height === undefined) return 'image or audio inputs'
  if (spec.images?.checkpointed === 'self-attention') return "torchtune's image layers"
  if (spec.trainable?.inTurns) return 'layers that train in turn'
  if (spec.unslothKernels) return "Unsloth's kernels"
  if (spec.fusedLoss) return 'a fused loss'
  if (spec.fusedNorms) return 'fused norms'
  if (spec.compiled) return 'torch.compile'
  if (spec.chunkedLoss !== undefined) return 'a chunked loss'
  if (spec.offloadsCheckpoints) return 'checkpoints on the host'
  if (spec.unquantized !== undefined) return 'layers in 16 bits beside quantised ones'
  if (spec.precision === 'bf16-master' && exchangingLibrary(spec) === undefined) return 'float32 master weights'
  return untraced.has(spec.optimizer) ? `the optimizer ${spec.optimizer}` : undefined
}

/** What the report says about an estimate that no trace has confirmed, one sentence each. */
export function derivationOf(written: TrainingSpec, config: ModelConfig): string[] {
  const spec = withReleasedExperts(written, config)
  const ofModel = sentencesOn(spec, config)
  const [what, library] = [neverRun(spec), exchangingLibrary(spec)]
  // The sentence about the model says it already.
  const isSaid = spec.loop === 'ultralytics' && familyOf(config).codeFrom === 'ultralytics'
  return [
    ...ofModel,
    ...(spec.modelCode === 'litgpt'
      ? [
          "The step is counted from LitGPT's source code (0.5.13) and was compared with a trace of it; only the estimate engine supports it here.",
        ]
      : []),
    ...(spec.modelCode === 'torchtitan'
      ? [
          "The step is counted from torchtitan's source code (0.2.2) and was compared with runs of it on CPU tensors; only the estimate engine supports it here.",
        ]
      : []),
    ...(isOfNemoRl(spec.loop)
      ? [
          "The step is counted from NeMo RL's source code (0.7) and was compared with FSDP2 running it on CPU tensors (bench:sharding); only the estimate engine supports it here.",
        ]
      : []),
    ...(what !== undefined && !isSaid
      ? [
          `The memory effect of ${what} is derived from source code and documentation; no trace has confirmed it. ${bandInWords(spec, config)}`,
        ]
      : []),
    ...(library !== undefined
      ? [
          `What each GPU holds and exchanges was compared with ${library} running on CPU tensors (bench:sharding), not on GPUs. NCCL's own buffers are not counted. ${bandInWords(spec, config)}`,
        ]
      : []),
    ...(familyOf(config).recurrence?.(config) === 'gated-delta' && !hasLinearAttentionKernels(spec)
      ? [
          'Linear attention is counted as transformers runs it without flash-linear-attention, which is not known to be installed: in float32, on PyTorch’s ops, as they are since transformers#47625 (July 2026); earlier releases take more. Its kernels take less: name the package in the requirements, or say `--versions flash-linear-attention=0.5`, to count them.',
        ]
      : []),
    ...(spec.optimizer.startsWith('paged-')
      ? [
          "The paged state of large tensors is not counted: it takes the GPU's memory only while there is room, and waits on the host otherwise, which makes every optimizer step longer.",
        ]
      : []),
  ]
}

function bandInWords(spec: TrainingSpec, config: ModelConfig): string {
  const { lowPercent, highPercent, of, readings } = errorBand(spec, config)
  const range = `${lowPercent} to +${highPercent} %`
  if (readings < MIN_READINGS) return `There are too few published readings of ${of}: the band of ${range} is assumed.`
  return `By ${readings} published readings of ${of}, nine of ten further ones are expected within ${range} of the estimate.`
}

/** What cannot be determined from the config about a model's step, or runs in kernels that no trace covers. */
function sentencesOn(spec: TrainingSpec, config: ModelConfig): string[] {
  const isBfloat16 = spec.precision === 'bf16' || spec.precision === 'bf16-master'
  const { codeFrom, hasAttentionSinks, ...family } = familyOf(config)
  const recurrence = family.recurrence?.(config)
  return [
    ...sentencesOnImages(spec, config),
    ...(leftOutOf(spec, config) === 'images'
      ? [
          `Only text is counted: ${readsImages(config) ? `the number and size of images in a sample cannot be determined from the config. ${ASK_FOR_IMAGES}` : 'what images take is not modelled here, and comes on top. '}${ofTowers('vision', spec)}`,
        ]
      : []),
    ...(isAudioModel(config)
      ? [`Only text is counted: what sound takes is not modelled here, and comes on top. ${ofTowers('audio', spec)}`]
      : []),
    ...(codeFrom === 'ultralytics'
      ? [
          `The step is counted from Ultralytics' source code and was compared with a trace of it; only the estimate engine supports it here. The number of objects in the images changes memory by a few percent.`,
        ]
      : []),
    ...(codeFrom === 'checkpoint'
      ? [
          `The model is counted from the code published with its weights, which only the estimate engine supports.${isVisionLanguageModel(config) ? ' Its vision layers are assumed to be frozen.' : ''}`,
        ]
      : []),
    ...(hasExperts(config) &&
    spec.quantization !== undefined &&
    !spec.quantizedExperts &&
    spec.expertStyle !== 'axolotl-linear'
      ? [
          'The experts are counted without quantisation: transformers 5 holds them as separate parameters, which the quantisation of linear layers skips.',
        ]
      : []),
    ...(generatesItself(spec) && recurrence !== undefined
      ? ['The recurrent state that layers without attention keep for each completion during generation is not counted.']
      : []),
    ...(recurrence === 'kimi-delta' || (recurrence === 'gated-delta' && hasLinearAttentionKernels(spec))
      ? [
          "Linear attention is counted with flash-linear-attention's kernels, derived from their source code; without them, transformers' own implementation needs more memory.",
        ]
      : []),
    ...(recurrence?.startsWith('mamba')
      ? [
          "Mamba layers are counted with the kernels of mamba-ssm and causal-conv1d, derived from their source code; without them, transformers' own implementation needs far more memory.",
        ]
      : []),
    ...(recurrence === 'mamba2' && spec.quantization !== undefined
      ? ["Mamba's output projections are counted without quantisation: their kernel needs unquantised matrices."]
      : []),
    ...(hasAttentionSinks && spec.attention !== 'eager'
      ? [
          "Attention is counted with a flash kernel that supports gpt-oss's sinks, such as kernels-community/vllm-flash-attn3, derived from its source code; without one, transformers computes attention eagerly, which needs far more memory.",
        ]
      : []),
    ...(hasExperts(config) && !isBfloat16
      ? ['Experts in float32 run in a kernel that no trace covers; they are counted as in bfloat16, at twice the size.']
      : []),
  ]
}

function generatesItself({ method }: TrainingSpec): boolean {
  return method?.kind === 'online' && method.generation.kind === 'transformers'
}

/** What is counted of images in a sample. */
function sentencesOnImages({ images, videoFrames, attention }: TrainingSpec, config: ModelConfig): string[] {
  if (images === undefined) return []
  const { height, width, tiles } = images
  const joined =
    'The image encoder reads all images of a batch as one sequence, with a mask whose memory grows with the square of the batch size. FlashAttention needs no such mask.'
  return [
    videoFrames !== undefined
      ? `One video per sample is counted, of ${videoFrames} frames of ${height}×${width} pixels as the processor scales them: how many frames a sample has, and how large they are, cannot be determined from the config.`
      : height !== undefined && tiles === 1
        ? `One image per sample is counted, of ${height}×${width} pixels as the processor scales it: how many images a sample has, and how large they are, cannot be determined from the config.`
        : `One image per sample is counted${tiles > 1 ? `, in ${tiles} tiles` : ''}: the number and size of images in a sample cannot be determined from the config.`,
    ...(joinsImages(config) && attention !== 'flash' ? [joined] : []),
  ]
}

/** What samples of the model may hold besides text, and is not counted. */
export function leftOutOf(spec: TrainingSpec, config: ModelConfig): 'images' | 'audio' | undefined {
  if (isVisionLanguageModel(config) && spec.images === undefined) return 'images'
  return isAudioModel(config) ? 'audio' : undefined
}

/** By its name in settings and on the command line. */
const ASK_FOR_IMAGES = `Set image_size, the pixels of an image's side, in the overrides of ${SETTINGS_PATH} or as --image-size: one image per sample is counted then. `

function ofTowers(kind: 'vision' | 'audio', { trainsTowers }: TrainingSpec): string {
  const layers = `the ${kind} layers`
  return trainsTowers
    ? `The figures include the weights, gradients and optimizer state of ${layers}, but not their activations.`
    : `The figures include the weights of ${layers}, but not their activations nor, if they are trained, their gradients and optimizer state.`
}
