/** Sharding strategies on one or several GPUs, and the spec under each. */
import { MemoryMarkError } from '../base/errors.ts'
import { startsUnderFsdp } from '../estimate/library-rules.ts'
import { isFsdp, isOfImages, type Precision, type Sharding } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { lightningZero, overlapsByDefault, zeroDefaults } from '../training/zero-defaults.ts'

/** From the simplest to the one with most communication; of two equally fast ones, the earlier is preferred. */
export const strategies = ['single', 'ddp', 'zero1', 'zero2', 'fsdp', 'zero3'] as const
export type Strategy = (typeof strategies)[number]

export const strategyNames: Readonly<Record<Strategy, string>> = {
  single: 'one GPU',
  ddp: 'DDP',
  zero1: 'ZeRO-1',
  zero2: 'ZeRO-2',
  fsdp: 'FSDP',
  zero3: 'ZeRO-3',
}

/** A number of GPUs and how they share the training. */
export interface Arrangement {
  readonly strategy: Strategy
  readonly gpus: number
}

/** The tool of the config. A plan contains only what the tool can do. */
export type Tool =
  | 'trainer'
  | 'axolotl'
  | 'torchtune'
  | 'deepspeed'
  | 'lightning'
  | 'lightning-script'
  | 'litgpt'
  | 'llamafactory'
  | 'loop'
  | 'ms-swift'
  | 'nemo-rl'
  | 'openrlhf'
  | 'torchtitan'
  | 'verl'
  | 'other'

const tools: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ['Hugging Face Trainer', 'trainer'],
  ['Axolotl', 'axolotl'],
  ['torchtune', 'torchtune'],
  ['DeepSpeed', 'deepspeed'],
  ['Lightning', 'lightning-script'],
  ['Lightning CLI', 'lightning'],
  ['LitGPT', 'litgpt'],
  ['LLaMA-Factory', 'llamafactory'],
  ['ms-swift', 'ms-swift'],
  ['PyTorch', 'loop'],
  ['NeMo RL', 'nemo-rl'],
  ['OpenRLHF', 'openrlhf'],
  ['torchtitan', 'torchtitan'],
  ['verl', 'verl'],
])

/** By the name of the config's format; a bare model is planned for Hugging Face's Trainer. */
export function toolOf(dialect: string | undefined): Tool {
  return dialect === undefined ? 'trainer' : (tools.get(dialect) ?? 'other')
}

/** What is modelled of tools that lack a strategy on several GPUs; the others have all of them. */
const strategiesOf: { readonly [Each in Tool]?: readonly Strategy[] } = {
  deepspeed: ['ddp', 'zero1', 'zero2', 'zero3'],
  // finetune/*.py have FSDP with settings of their own.
  litgpt: [],
  torchtitan: ['ddp', 'fsdp'],
  // What FSDP wraps in a LightningModule is up to a policy that the script writes.
  'lightning-script': ['ddp', 'zero1', 'zero2', 'zero3'],
}

/** What a plan for such a tool leaves out. */
export const notPlanned: { readonly [Each in Tool]?: string } = {
  litgpt: 'One GPU alone is planned: how LitGPT divides a training among several is not modelled.',
}

/** torchtune's recipes, verl and NeMo RL shard with FSDP and nothing else, and name it on one GPU too. */
const alwaysFsdp: ReadonlySet<Tool> = new Set<Tool>(['torchtune', 'verl', 'nemo-rl'])

/** Only `single` on one GPU; on several, all strategies that the tool and the spec support. */
export function strategiesFor(spec: TrainingSpec, gpus: number, tool: Tool): readonly Strategy[] {
  if (gpus === 1) return ['single']
  if (alwaysFsdp.has(tool)) return ['fsdp']
  if (tool === 'openrlhf') return spec.quantization === undefined ? ['zero1', 'zero2', 'zero3'] : ['zero1', 'zero2']
  const ofTool = strategiesOf[tool]
  const starts = (strategy: Strategy) => startsUnderFsdp(arrangedSpec(spec, { strategy, gpus }, tool))
  return strategiesOn(spec).filter(strategy => (ofTool?.includes(strategy) ?? true) && starts(strategy))
}

function strategiesOn(spec: TrainingSpec): readonly Strategy[] {
  if (spec.loop === 'ultralytics' || isOfImages(spec.task)) return ['ddp']
  // fully_shard does not support bitsandbytes' parameter class, and ZeRO-3 would have to shard it. Unsloth's kernels/fast_lora.py
  // computes with the weights themselves, which have to be whole.
  if (spec.quantization !== undefined || spec.unslothKernels) return ['ddp']
  // ZeRO-1 and ZeRO-2 shard gradients and optimizer state, which are tiny with adapters.
  if (spec.lora !== undefined) return ['ddp', 'fsdp', 'zero3']
  return ['ddp', 'zero1', 'zero2', 'fsdp', 'zero3']
}

/** Their bf16 is weights in 16 bits where nothing keeps others beside them. */
const holdsBf16: ReadonlySet<Tool> = new Set<Tool>(['axolotl', 'ms-swift'])

/** Only DDP waits for the last micro-batch: Lightning's strategies/parallel.py, torchtitan's train.py. */
const sumsEach: ReadonlySet<Tool> = new Set<Tool>(['lightning', 'torchtitan'])

/** The spec as `arrangement` would train it; only its batch is still the old one. */
export function arrangedSpec(spec: TrainingSpec, { strategy, gpus }: Arrangement, tool: Tool): TrainingSpec {
  const { sharding: _, zero, offload: ___, shardedOver: ____, wrapsWholeModel: _____, fsdpVersion = 2, ...whole } = spec
  const { syncsEveryMicroBatch: ______, ...others } = whole
  const undivided = sumsEach.has(tool) ? others : whole
  if (alwaysFsdp.has(tool)) {
    // NeMo RL's second worker leaves a model on one GPU to autocast alone.
    const casts = spec.loop === 'nemo-rl-v2' && spec.precision === 'amp-bf16'
    const mixed = casts ? ({ precision: 'bf16-master', autocasts: true } as const) : {}
    return { ...undivided, gpus, ...mixed, sharding: 'fsdp', fsdpVersion }
  }
  if (tool === 'openrlhf') return overDeepSpeed(undivided, { strategy, gpus }, spec)
  const sharding = strategy === 'single' || strategy === 'ddp' ? undefined : strategy
  const precision = precisionUnder(spec, sharding, tool)
  const { inFloat16: _______, ...rest } = undivided
  return {
    ...rest,
    gpus,
    precision,
    ...(isOfFloat16(spec) && precision.startsWith('bf16') && { inFloat16: true }),
    ...(precision === 'bf16' && spec.precision === 'bf16-master' && { autocasts: true }),
    ...(sharding !== undefined && { sharding }),
    ...(isFsdp(sharding) && fsdpUnder(tool, fsdpVersion)),
    ...zeroUnder(tool, sharding, zero),
    ...(isFsdp(sharding) && sumsEach.has(tool) && { syncsEveryMicroBatch: true }),
  }
}

/** OpenRLHF trains through DeepSpeed on one GPU too. */
function overDeepSpeed(
  undivided: Omit<TrainingSpec, 'sharding' | 'zero'>,
  { strategy, gpus }: Arrangement,
  { sharding: written, zero }: TrainingSpec,
): TrainingSpec {
  const sharding = strategy === 'single' || strategy === 'ddp' ? (written ?? 'zero2') : strategy
  const overlapsCommunication = zero?.overlapsCommunication === true || overlapsByDefault(sharding)
  return { ...undivided, gpus, sharding, zero: { ...zeroDefaults, overlapsCommunication } }
}

/** Lightning's `fsdp` is the first one, without a policy that wraps layers (pytorch/strategies/fsdp.py). */
function fsdpUnder(tool: Tool, fsdpVersion: 1 | 2): Pick<TrainingSpec, 'fsdpVersion' | 'wrapsWholeModel'> {
  return tool === 'lightning' ? { fsdpVersion: 1, wrapsWholeModel: true } : { fsdpVersion }
}

/**
 * DeepSpeed keeps 32-bit master weights for what trains, and accelerate upcasts it under FSDP (accelerator.py,
 * prepare_model); without them, the Trainer's bf16 is autocast over the weights as loaded, which Axolotl loads in bf16.
 */
function precisionUnder(spec: TrainingSpec, sharding: Sharding | undefined, tool: Tool): Precision {
  const { precision, lora } = spec
  // DeepSpeed's file says the precision by itself.
  if (precision === 'fp32' || precision === 'tf32' || tool === 'deepspeed') return precision
  if (tool.startsWith('lightning')) return lightningPrecision(spec, sharding)
  const hasMasters = sharding !== undefined && !(isFsdp(sharding) && lora !== undefined)
  if (hasMasters) return 'bf16-master'
  if (precision !== 'bf16-master') return precision
  return lora !== undefined || holdsBf16.has(tool) ? 'bf16' : autocastOf(spec)
}

/** `bf16-true` holds all in 16 bits; of `bf16-mixed`, DeepSpeed and FSDP keep the 32 bits beside what they compute with. */
function lightningPrecision(spec: TrainingSpec, sharding: Sharding | undefined): Precision {
  const { precision } = spec
  if (precision === 'bf16') return precision
  if (sharding !== undefined) return 'bf16-master'
  return precision === 'bf16-master' ? autocastOf(spec) : precision
}

function autocastOf(spec: TrainingSpec): Precision {
  return isOfFloat16(spec) ? 'amp-fp16' : 'amp-bf16'
}

function isOfFloat16({ precision, inFloat16 }: TrainingSpec): boolean {
  return precision === 'amp-fp16' || inFloat16 === true
}

/** What is in DeepSpeed's own file stays there; Lightning has settings of its own, and the Trainer fills in "auto". */
function zeroUnder(tool: Tool, sharding: Sharding | undefined, own: TrainingSpec['zero']): Pick<TrainingSpec, 'zero'> {
  if (sharding?.startsWith('zero') !== true) return {}
  if (tool.startsWith('lightning')) return { zero: lightningZero }
  if (tool !== 'deepspeed') return {}
  return { zero: { ...zeroDefaults, ...own, overlapsCommunication: overlapsByDefault(sharding) } }
}

/** @throws MemoryMarkError for trainings that cannot be planned correctly. */
export function refuseUnplannable(spec: TrainingSpec): void {
  const refused = (message: string, fix: string) => new MemoryMarkError({ code: 'not-planned', message, fix })
  if (spec.framework !== 'pytorch') {
    throw refused(`training steps in ${spec.framework} can only be run, not estimated`, 'Run `memorymark sweep`.')
  }
  if (spec.step !== 'training') {
    throw refused('a run of forward and backward passes alone is no training to plan', 'Leave out --step.')
  }
  if (spec.tensorParallel !== undefined || (spec.expertParallel ?? 1) > 1 || spec.contextParallel !== undefined) {
    throw refused(
      'it divides its layers, its experts or its sequences among GPUs, and a plan only divides the batch and the model’s state',
      'Estimate each number of GPUs with `memorymark estimate`.',
    )
  }
  const kind = spec.method?.kind
  if (kind === 'online' || kind === 'rollouts') {
    throw refused(
      'it generates completions between its steps, which takes most of its time and is not modelled, so that no costs can be compared',
      'Use `memorymark estimate` for its memory on each GPU.',
    )
  }
}
