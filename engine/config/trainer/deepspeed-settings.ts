/**
 * Settings of DeepSpeed by which a GPU holds more or less than is counted, as of 0.19: runtime/zero/config.py, runtime/config.py,
 * runtime/precision_config.py, runtime/tensor_parallel/config.py.
 */
import type { TrainingSpec } from '../../training/spec.ts'
import type { Field, Section } from '../text/section.ts'

type Differs = (value: Field['value']) => boolean

const isOn: Differs = value => value.kind === 'flag' && value.flag
const isAbove =
  (limit: number): Differs =>
  value =>
    value.kind === 'number' && value.number > limit
const isWritten: Differs = value => value.kind !== 'empty' && !(value.kind === 'flag' && !value.flag)

type Setting = readonly [path: string, differs: Differs]

/** Of any stage, each with the values by which it differs from what is counted. */
const uncounted: readonly Setting[] = [
  ['zero_optimization.zenflow', isWritten],
  [
    'data_types.grad_accum_dtype',
    value => value.kind === 'text' && /^(?:fp32|float32|torch\.float32)$/.test(value.text),
  ],
  ['bf16.bf16_master_weights_and_grads', isOn],
  ['bf16.bf16_optimizer_states', isOn],
  ['fp16.fp16_master_weights_and_grads', isOn],
  ['tensor_parallel.autotp_size', isAbove(1)],
  ['compile.deepcompile', isOn],
]

/** These do nothing before stage 3. */
const uncountedInStage3: readonly Setting[] = [
  // ZeRO++ holds a second copy of the weights within a machine; MiCS divides among so many GPUs alone.
  ['zero_optimization.zero_hpz_partition_size', isAbove(1)],
  ['zero_optimization.mics_shard_size', isAbove(0)],
  ['zero_optimization.zero_quantized_weights', isOn],
  ['zero_optimization.zero_quantized_nontrainable_weights', isOn],
  // The share of the optimizer's state that waits on the host.
  ['zero_optimization.offload_optimizer.ratio', value => value.kind === 'number' && value.number < 1],
]

/** Those that `config` sets. */
export function uncountedIn(config: Section): readonly Field[] {
  const stage = config.at('zero_optimization', 'stage')?.value
  const isStage3 = stage?.kind === 'number' && stage.number === 3
  return [...uncounted, ...(isStage3 ? uncountedInStage3 : [])].flatMap(([path, differs]) => {
    const [key = '', ...rest] = path.split('.')
    const field = config.at(key, ...rest)
    return field !== undefined && differs(field.value) ? [field] : []
  })
}

/**
 * transformers 5.18 integrations/deepspeed.py deepspeed_optim_sched: an optimizer in DeepSpeed's settings is the one that steps, whatever
 * `optim` says. Undefined where it is Adam and so is what was read, or where there is none.
 */
export function replacedOptimizer(config: Section, { optimizer }: Pick<TrainingSpec, 'optimizer'>): Field | undefined {
  const field = config.at('optimizer', 'type')
  const isAdam = field?.value.kind === 'text' && /^(?:adamw?|auto)$/i.test(field.value.text)
  return isAdam && wholeAdam.has(optimizer) ? undefined : field
}

/** With a state of 32 bits on the GPU, as DeepSpeed's FusedAdam has. */
const wholeAdam: ReadonlySet<TrainingSpec['optimizer']> = new Set(['adamw', 'adamw-fused', 'adamw-loop'])
