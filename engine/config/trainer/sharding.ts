/** DeepSpeed and FSDP as configs switch them on. */
import type { FieldReader } from '../fields.ts'
import { quote } from '../quote.ts'
import type { Field, Section } from '../section.ts'
import type { Sharding, TrainingSpec } from '../spec.ts'

export interface Sharded {
  readonly sharding?: Sharding
  readonly offload?: TrainingSpec['offload']
}

const stages: readonly (Sharding | undefined)[] = [undefined, 'zero1', 'zero2', 'zero3']

/** `zero2.json`, `ds_z3_offload_config.json`, `deepspeed_configs/zero3_bf16_cpuoffload_all.json`, `stage2.json`. */
const stageInName = /(?:zero|stage|ds|z)[-_]?(?:z|stage)?[-_]?([0-3])(?!\d)/i

/** DeepSpeed's own file by its name, or its mapping written in place. */
export function readDeepSpeed(reader: FieldReader, field: Field | undefined): Sharded {
  if (field === undefined || field.value.kind === 'empty') return {}
  if (field.value.kind === 'mapping') return shardedBy(reader, field.value.section)
  const path = reader.text(field)
  if (path === undefined || path === '') return {}
  const name = path.split('/').at(-1) ?? path
  const stage = stageInName.exec(name)?.[1]
  if (stage === undefined) {
    reader.refuse(
      field,
      'not-in-file',
      `The ZeRO stage cannot be known from the file: it is in ${quote(path)}`,
      'Name the stage in the file name (zero2.json), or write the DeepSpeed settings here.',
    )
    return {}
  }
  const sharding = stages[Number(stage)]
  const offload = offloadInName(name)
  reader.assume(`ZeRO stage ${stage}${offload ? ', offloaded to the host' : ''}: read from the name of ${quote(path)}.`)
  if (sharding !== undefined) reader.note('sharding', sharding, field)
  if (offload !== undefined) reader.note('offload', offload, field)
  return { ...(sharding && { sharding }), ...(offload && { offload }) }
}

function offloadInName(name: string): TrainingSpec['offload'] {
  if (!/offload/i.test(name) || /offload_?params?\b/i.test(name)) return undefined
  return /all|param/i.test(name) || /z(?:ero)?[-_]?3/i.test(name) ? 'optimizer-and-weights' : 'optimizer'
}

/** DeepSpeed 0.17 runtime/zero/config.py: stage 0 unless set. */
export function shardedBy(reader: FieldReader, config: Section): Sharded {
  const stage = config.at('zero_optimization', 'stage')
  const isStage = stage && reader.wholeNumber(stage, { min: 0, max: 3 })
  const sharding = isStage === undefined ? undefined : stages[isStage]
  const offloaded = (key: string) => offloads(config.at('zero_optimization', key, 'device'))
  const weights = offloaded('offload_param')
  const optimizer = offloaded('offload_optimizer') ?? config.at('zero_optimization', 'cpu_offload')
  if (sharding !== undefined && stage !== undefined) reader.note('sharding', sharding, stage)
  return { ...(sharding && { sharding }), ...offloadOf(reader, weights, optimizer) }
}

function offloads(device: Field | undefined): Field | undefined {
  return device?.value.kind === 'text' && device.value.text !== 'none' ? device : undefined
}

function offloadOf(reader: FieldReader, weights: Field | undefined, optimizer: Field | undefined): Sharded {
  if (weights !== undefined && optimizer === undefined) {
    reader.assume('Offloaded weights alone are counted as staying on the GPU: the estimate is high.')
    return {}
  }
  if (weights !== undefined) return { offload: reader.note('offload', 'optimizer-and-weights', weights) }
  if (optimizer === undefined || (optimizer.value.kind === 'flag' && !optimizer.value.flag)) return {}
  return { offload: reader.note('offload', 'optimizer', optimizer) }
}

export interface FsdpFields {
  readonly fsdp: Field | undefined
  readonly config: Section | undefined
}

/** `fsdp: [full_shard, auto_wrap, offload]` and what stands in fsdp_config; SHARD_GRAD_OP keeps whole weights, as ZeRO-2 does. */
export function readFsdp(reader: FieldReader, { fsdp, config }: FsdpFields): Sharded {
  const words = wordsIn(fsdp)
  const field = fsdp !== undefined && words.length > 0 ? fsdp : undefined
  const strategy = config?.at('fsdp_sharding_strategy') ?? config?.at('fsdp_reshard_after_forward')
  const anySetting = config && [...config.fields.values()][0]
  const from = field ?? anySetting
  if (from === undefined || words.includes('no_shard')) return {}
  const keepsWeights = words.includes('shard_grad_op') || (strategy !== undefined && saysGradientsOnly(strategy))
  const sharding = reader.note<Sharding>('sharding', keepsWeights ? 'zero2' : 'fsdp', from)
  const offloads = config?.at('fsdp_offload_params') ?? config?.at('offload_params')
  const isOffloaded = words.includes('offload') || (offloads?.value.kind === 'flag' && offloads.value.flag)
  if (!isOffloaded) return { sharding }
  return { sharding, offload: reader.note('offload', 'optimizer-and-weights', offloads ?? from) }
}

function saysGradientsOnly({ value }: Field): boolean {
  if (value.kind === 'flag') return !value.flag
  return (value.kind === 'text' && /shard_grad_op/i.test(value.text)) || (value.kind === 'number' && value.number === 2)
}

function wordsIn(field: Field | undefined): readonly string[] {
  if (field?.value.kind === 'text')
    return field.value.text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean)
  if (field?.value.kind === 'flag') return field.value.flag ? ['full_shard'] : []
  if (field?.value.kind !== 'list') return []
  return field.value.items.flatMap(item => (item.kind === 'text' ? [item.text.toLowerCase()] : []))
}
