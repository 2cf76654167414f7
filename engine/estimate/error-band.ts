/** How far an estimate may be from the truth, and of which steps no trace has confirmed it. */
import { type ExpertStyle, isFsdp, type TrainingSpec } from '../config/spec.ts'
import {
  hasExperts,
  hasStateSpaces,
  hears,
  type ModelConfig,
  outsideTransformers,
  seesImages,
} from '../models/architecture.ts'

/**
 * Half-width of the band around an estimate, in percent of the peak. `npm run bench:accuracy` fails when PyTorch's trace or a
 * published GPU reading of the models lies outside it.
 */
export const TRACED_BAND_PERCENT = 3

/**
 * For what several GPUs keep and exchange, which `npm run bench:sharding` holds against the libraries themselves: within 3 %, but
 * over CPU tensors and without NCCL. A guess.
 */
const SHARED_BAND_PERCENT = 5

/** For what is derived from sources and documentation alone. A guess, wide enough to be meant as one. */
const DERIVED_BAND_PERCENT = 10

export function errorBandPercent(spec: TrainingSpec, config: ModelConfig): number {
  if (neverRun(spec) !== undefined || sentencesOn(spec, config).length > 0) return DERIVED_BAND_PERCENT
  return exchangingLibrary(spec) === undefined ? TRACED_BAND_PERCENT : SHARED_BAND_PERCENT
}

/** What of a step the trace does not run; undefined when it runs all of it. */
export function beyondTrace(spec: TrainingSpec): string | undefined {
  return spec.gpus > 1 ? 'several GPUs' : beyondTorch(spec)
}

const untraced: ReadonlySet<TrainingSpec['optimizer']> = new Set(['lion', 'paged-adamw', 'adam-mini'] as const)

/** Ways of running experts that no trace runs. */
const untracedExperts: Readonly<Record<ExpertStyle, string>> = {
  'axolotl-kernels': "Axolotl's kernels for experts",
  'axolotl-linear': 'experts as linear layers',
  torchtune: "torchtune's experts",
  ktransformers: 'the exchange with experts on the host',
}

/** What of a step the Python worker runs on no device; undefined when it runs all of it. */
export function beyondTorch(spec: TrainingSpec): string | undefined {
  return spec.sharding?.startsWith('zero') ? "DeepSpeed's sharding" : neverRun(spec)
}

/** Whose work the sharing of a model among GPUs is; undefined where one GPU has all of it. */
function exchangingLibrary({ sharding = 'ddp', gpus }: TrainingSpec): string | undefined {
  if (sharding.startsWith('zero')) return 'DeepSpeed'
  if (gpus === 1) return undefined
  return isFsdp(sharding) ? 'FSDP' : 'DistributedDataParallel'
}

/** What of a step nothing has run but the estimate; undefined when all of it has been. */
function neverRun(spec: TrainingSpec): string | undefined {
  if (spec.loop === 'ultralytics') return "Ultralytics' trainer"
  if (spec.method?.kind === 'answers' && spec.method.generation.kind === 'vllm') return 'vLLM beside the training'
  if (spec.quantization === 'gptq' || spec.quantization === 'awq')
    return `weights in ${spec.quantization.toUpperCase()}'s format`
  if (spec.tensorParallel !== undefined) return 'tensor parallelism'
  if (spec.method?.kind === 'trajectories') return "torchtune's trajectories"
  if (spec.method?.kind === 'strided') return "EBFT's strided mode"
  if (spec.expertStyle !== undefined) return untracedExperts[spec.expertStyle]
  if (spec.quantizedExperts) return 'quantised experts'
  if (spec.fakeQuantization?.format !== undefined) return '4-bit floats'
  if (spec.float8) return '8-bit floats'
  if (spec.offload !== undefined) return 'offloading'
  if (spec.trainsTowers) return 'images or speech among the words'
  if (spec.images?.checkpointed === 'self-attention') return "torchtune's layers that see images"
  if (spec.trainable?.inTurns) return 'layers that train in turns'
  if (spec.fusedLoss) return 'a fused loss'
  if (spec.precision === 'bf16-master' && exchangingLibrary(spec) === undefined) return 'float32 master weights'
  return untraced.has(spec.optimizer) ? `the optimizer ${spec.optimizer}` : undefined
}

/** The sentences that go with such an estimate. */
export function derivationOf(spec: TrainingSpec, config: ModelConfig): string[] {
  const ofModel = sentencesOn(spec, config)
  const [what, library] = [neverRun(spec), exchangingLibrary(spec)]
  // What is said of the model says it already.
  const isSaid = spec.loop === 'ultralytics' && outsideTransformers(config) === 'ultralytics'
  return [
    ...ofModel,
    ...(what !== undefined && !isSaid
      ? [
          `What ${what} take${what.endsWith('s') ? '' : 's'} is derived from sources and documentation; no trace and no GPU has confirmed it, and the band of ${DERIVED_BAND_PERCENT} % is a guess.`,
        ]
      : []),
    ...(library !== undefined
      ? [
          `What the GPUs keep and exchange was held against ${library} run over CPU tensors (bench:sharding), not on GPUs. What NCCL takes for itself is not counted; the band of ${errorBandPercent(spec, config)} % is a guess.`,
        ]
      : []),
  ]
}

/** What of a model's step cannot be known from its config, or runs in kernels that no trace has. */
function sentencesOn(spec: TrainingSpec, config: ModelConfig): string[] {
  const isBfloat16 = spec.precision === 'bf16' || spec.precision === 'bf16-master'
  return [
    ...(spec.images !== undefined
      ? [
          `One image a sample is counted${spec.images.tiles > 1 ? `, in ${spec.images.tiles} tiles` : ''}: how many images of which size a sample holds cannot be known from the config.`,
        ]
      : []),
    ...(seesImages(config) && spec.images === undefined
      ? [
          `Text alone is counted: how many images of which size a sample holds cannot be known from the config. ${ofTowers('see', spec)}`,
        ]
      : []),
    ...(hears(config)
      ? [
          `Text alone is counted: how many seconds of speech a sample holds cannot be known from the config. ${ofTowers('hear', spec)}`,
        ]
      : []),
    ...(outsideTransformers(config) === 'ultralytics'
      ? [
          `The step is counted from Ultralytics' sources, and was held against a trace of its own code, which no engine but the estimate runs. How many objects the images hold decides by a few percent more or less, hence the band of ${DERIVED_BAND_PERCENT} %.`,
        ]
      : []),
    ...(outsideTransformers(config) === 'checkpoint'
      ? [
          `The model is counted from the code that is published beside its weights, which no engine but the estimate runs.${seesImages(config) ? ' The layers that see images are taken as frozen.' : ''}`,
        ]
      : []),
    ...(hasExperts(config) &&
    spec.quantization !== undefined &&
    !spec.quantizedExperts &&
    spec.expertStyle !== 'axolotl-linear'
      ? [
          'The experts are counted without quantisation: transformers 5 holds them as parameters of their own, which the quantisation of linear layers passes over.',
        ]
      : []),
    ...(answersItself(spec) && (hasLinearAttention(config) || hasStateSpaces(config))
      ? ['What the layers without attention remember of every answer, while answers are made, is not counted.']
      : []),
    ...(hasLinearAttention(config)
      ? [
          "Linear attention is counted in flash-linear-attention's kernels, derived from their sources; where they are not installed transformers' own composition takes more.",
        ]
      : []),
    ...(hasStateSpaces(config)
      ? [
          "Mamba's layers are counted in the kernels of mamba-ssm and causal-conv1d, derived from their sources; where they are not installed transformers' own composition takes far more.",
        ]
      : []),
    ...(hasStateSpaces(config) && config.model_type !== 'jamba' && spec.quantization !== undefined
      ? ["Mamba's output projections are counted without quantisation: their kernel takes whole matrices."]
      : []),
    ...(config.model_type === 'gpt_oss' && spec.attention === 'sdpa'
      ? [
          "Attention is counted in a flash kernel that takes gpt-oss's sinks, such as kernels-community/vllm-flash-attn3; without one transformers computes it eagerly, in far more memory. Its kernel is derived from its sources.",
        ]
      : []),
    ...(hasExperts(config) && !isBfloat16
      ? ['Experts in float32 run in a kernel that no trace covers; they are counted as in bfloat16, at twice the size.']
      : []),
  ]
}

function hasLinearAttention(config: ModelConfig): boolean {
  return ['qwen3_next', 'qwen3_5', 'qwen3_5_moe', 'kimi_linear'].includes(config.model_type)
}

function answersItself({ method }: TrainingSpec): boolean {
  return method?.kind === 'answers' && method.generation.kind === 'transformers'
}

function ofTowers(verb: 'see' | 'hear', { trainsTowers }: TrainingSpec): string {
  const layers = `the layers that ${verb} them`
  return trainsTowers
    ? `Weights, gradients and optimizer state of ${layers} are in the figures, their activations are not.`
    : `The weights of ${layers} are in the figures; their activations are not, nor, where they train, their gradients and their share of the optimizer state.`
}
