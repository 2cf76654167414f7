/** DeepSpeed and FSDP as configs enable them. */

import type { Sharding } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { isBefore } from '../../training/versions.ts'
import { overlapsByDefault, zeroDefaults } from '../../training/zero-defaults.ts'
import type { FieldReader } from '../fields/fields.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import { oneOf, quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { uncountedIn } from './deepspeed-settings.ts'

export interface Sharded {
  readonly sharding?: Sharding
  readonly offload?: TrainingSpec['offload']
  readonly zero?: TrainingSpec['zero']
  readonly syncsEveryMicroBatch?: true
  readonly fsdpVersion?: TrainingSpec['fsdpVersion']
  readonly wrapsWholeModel?: true
}

const stages: readonly (Sharding | undefined)[] = [undefined, 'zero1', 'zero2', 'zero3']

/** `zero2.json`, `ds_z3_offload_config.json`, `deepspeed_configs/zero3_bf16_cpuoffload_all.json`, `stage2.json`. */
const stageInName = /(?:zero|stage|ds|z)[-_]?(?:z|stage)?[-_]?([0-3])(?!\d)/i

/** DeepSpeed's mapping written in place, or in the file that the field names; where that cannot be read, what its name tells. */
export function readDeepSpeed(reader: FieldReader, field: Field | undefined, file: DeepSpeedFile): Sharded {
  if (field === undefined || field.value.kind === 'empty') return {}
  if (field.value.kind === 'mapping') return ofTool(reader, field.value.section)
  const name = reader.text(field)
  if (name === undefined || name === '') return {}
  if (file.kind !== 'read') return readFileName(reader, field, name, file)
  const problems = reader.problems.length
  const sharded = ofTool(reader, file.settings)
  if (reader.problems.length === problems) reader.assume(`${inWords(sharded)}: read from ${quote(file.path)}.`)
  return sharded
}

/** Of a tool whose own arguments name an optimizer too. */
function ofTool(reader: FieldReader, settings: Section): Sharded {
  reader.deepSpeed = settings
  return shardedBy(reader, settings)
}

/** What `readDeepSpeed` reads, where it is more than a name. */
export function deepSpeedSettings(field: Field | undefined, file: DeepSpeedFile): Section | undefined {
  if (field?.value.kind === 'mapping') return field.value.section
  return file.kind === 'read' ? file.settings : undefined
}

function inWords({ sharding, offload }: Sharded): string {
  return `ZeRO stage ${stages.indexOf(sharding)}${offload ? ', offloaded to the host' : ''}`
}

type UnreadFile = Exclude<DeepSpeedFile, { kind: 'read' }>

function readFileName(reader: FieldReader, field: Field, name: string, file: UnreadFile): Sharded {
  const lastPart = name.split('/').at(-1) ?? name
  const stage = stageInName.exec(lastPart)?.[1]
  if (stage === undefined) return refuseName(reader, field, name, file)
  const [sharding, offload] = [stages[Number(stage)], offloadInName(lastPart)]
  const sharded = { ...(sharding && { sharding }), ...(offload && { offload }) }
  const why = unreadBecause(file)
  const sentence = `${inWords(sharded)}: read from the name of ${quote(name)}`
  reader.assume(why === undefined ? `${sentence}.` : `${sentence}; ${why}.`)
  if (sharding !== undefined) reader.note('sharding', sharding, field)
  if (offload !== undefined) reader.note('offload', offload, field)
  return sharded
}

function refuseName(reader: FieldReader, field: Field, name: string, file: UnreadFile): Sharded {
  const why = unreadBecause(file)
  reader.refuse(
    field,
    'not-in-file',
    why === undefined
      ? `The ZeRO stage cannot be determined from the file: it is in ${quote(name)}`
      : `The ZeRO stage cannot be determined: ${why}, and the name ${quote(name)} does not say it`,
    fixes[file.kind],
  )
  return {}
}

/** A clause; undefined where nobody looked. */
function unreadBecause(file: UnreadFile): string | undefined {
  switch (file.kind) {
    case 'not-found':
      return `there is no readable file at ${oneOf(file.lookedAt.map(quote))}`
    case 'unusable':
      return `${quote(file.path)} ${file.why}`
    case 'outside':
      return 'files outside the repository are not read'
    case 'not-looked-for':
      return undefined
  }
}

const otherwise = 'name the stage in the file name (zero2.json), or write the DeepSpeed settings here.'
const fixes: Readonly<Record<UnreadFile['kind'], string>> = {
  'not-found': `Add the file to the repository, ${otherwise}`,
  outside: `Add the file to the repository, ${otherwise}`,
  unusable: `Correct that file, ${otherwise}`,
  'not-looked-for': 'Name the stage in the file name (zero2.json), or write the DeepSpeed settings here.',
}

/**
 * `bf16` or `fp16`, which stand in DeepSpeed's settings too: unless those say `auto`, the Trainer starts only where both agree
 * (transformers 5.18 integrations/deepspeed.py, trainer_config_finalize).
 */
export function halfPrecisionSwitch(
  reader: FieldReader,
  key: 'bf16' | 'fp16',
  own: Field | undefined,
  settings: Section | undefined,
): Field | undefined {
  const theirs = settings?.at(key, 'enabled')
  if (theirs?.value.kind !== 'flag') return own
  if (own?.value.kind === 'flag' && own.value.flag !== theirs.value.flag) {
    reader.refuse(
      own,
      'precision-conflict',
      `${key} is ${onOrOff(own.value.flag)} here and ${onOrOff(theirs.value.flag)} in ${theirs.file === undefined ? 'the DeepSpeed settings' : quote(theirs.file)}, so the training would not start`,
      `Make both the same, or set ${theirs.name} to "auto" there.`,
    )
  }
  return own ?? theirs
}

function onOrOff(flag: boolean): string {
  return flag ? 'on' : 'off'
}

function offloadInName(name: string): TrainingSpec['offload'] {
  if (!/offload/i.test(name) || /offload_?params?\b/i.test(name)) return undefined
  return /all|param/i.test(name) || /z(?:ero)?[-_]?3/i.test(name) ? 'optimizer-and-weights' : 'optimizer'
}

/** DeepSpeed 0.19 runtime/zero/config.py: stage 0 unless set. */
export function shardedBy(reader: FieldReader, config: Section): Sharded {
  const stage = config.at('zero_optimization', 'stage')
  const isStage = stage && reader.wholeNumber(stage, { min: 0, max: 3 })
  const sharding = isStage === undefined ? undefined : stages[isStage]
  const offloaded = (key: string) => offloads(config.at('zero_optimization', key, 'device'))
  const weights = offloaded('offload_param')
  const optimizer = offloaded('offload_optimizer') ?? config.at('zero_optimization', 'cpu_offload')
  if (sharding !== undefined && stage !== undefined) reader.note('sharding', sharding, stage)
  reader.uncounted.push(...uncountedIn(config))
  return {
    ...(sharding && { sharding, zero: zeroSettingsIn(reader, config, sharding) }),
    ...offloadOf(reader, weights, optimizer),
  }
}

/** DeepSpeed's names, by ours. "auto" is the Trainer's to fill in. */
const zeroKeys: Readonly<Record<keyof typeof zeroDefaults, string>> = {
  reduceBucket: 'reduce_bucket_size',
  prefetchBucket: 'stage3_prefetch_bucket_size',
  persistenceThreshold: 'stage3_param_persistence_threshold',
  maxLiveParameters: 'stage3_max_live_parameters',
  maxReuseDistance: 'stage3_max_reuse_distance',
  subGroup: 'sub_group_size',
}

function zeroSettingsIn(reader: FieldReader, config: Section, sharding: Sharding): TrainingSpec['zero'] {
  const names = Object.keys(zeroKeys) as (keyof typeof zeroDefaults)[]
  const entries = names.flatMap(name => {
    const field = config.at('zero_optimization', zeroKeys[name])
    if (field?.value.kind === 'text' && field.value.text === 'auto') return []
    const elements =
      field === undefined ? zeroDefaults[name] : reader.wholeNumber(field, { min: 0, max: Number.MAX_SAFE_INTEGER })
    return elements === undefined ? [] : [[name, elements] as const]
  })
  const overlaps = config.at('zero_optimization', 'overlap_comm')
  const overlapsCommunication = overlaps?.value.kind === 'flag' ? overlaps.value.flag : overlapsByDefault(sharding)
  return { ...Object.fromEntries(entries), overlapsCommunication }
}

/** accelerate 1.15 utils/dataclasses.py, DeepSpeedPlugin: `auto` is none unless whoever launches the training says otherwise. */
function offloads(device: Field | undefined): Field | undefined {
  return device?.value.kind === 'text' && !/^(?:none|auto)$/.test(device.value.text) ? device : undefined
}

function offloadOf(reader: FieldReader, weights: Field | undefined, optimizer: Field | undefined): Sharded {
  if (weights !== undefined && optimizer === undefined) {
    reader.assumeMore('Offloaded weights are counted as if they stayed on the GPU: the estimate is high.')
    return {}
  }
  if (weights !== undefined) return { offload: reader.note('offload', 'optimizer-and-weights', weights) }
  if (optimizer === undefined || (optimizer.value.kind === 'flag' && !optimizer.value.flag)) return {}
  return { offload: reader.note('offload', 'optimizer', optimizer) }
}

export interface FsdpFields {
  readonly fsdp: Field | undefined
  readonly config: Section | undefined
  /** Where it stands beside the others. */
  readonly version?: Field | undefined
}

/** `fsdp: [full_shard, auto_wrap, offload]` and what stands in fsdp_config, the strategies by their names or FSDP2's switch. */
export function readFsdp(reader: FieldReader, { fsdp, config, version }: FsdpFields): Sharded {
  const words = wordsIn(fsdp)
  const field = fsdp !== undefined && words.length > 0 ? fsdp : undefined
  const strategy = firstOf(config, ['fsdp_sharding_strategy', 'fsdp_reshard_after_forward', 'reshard_after_forward'])
  const anySetting = config && [...config.fields.values()][0]
  const from = field ?? anySetting
  const told = words.find(word => strategies.includes(word))
  const named = told === undefined || told === 'full_shard' ? (strategyOf(strategy) ?? told) : told
  if (from === undefined || (named === 'no_shard' && told !== 'full_shard')) return {}
  // Of the former, each machine holds a copy of the model, and how many GPUs a machine has is not in the file; two words contradict.
  if (named?.startsWith('hybrid') || named === 'no_shard')
    reader.uncounted.push((told === named ? field : strategy) ?? from)
  const keepsWeights = /(?:grad_op|zero2)$/.test(named ?? '') || (strategy !== undefined && reshardsNever(strategy))
  const sharding = reader.note<Sharding>('sharding', keepsWeights ? 'fsdp-grad-op' : 'fsdp', from)
  // Of accelerate, of Axolotl, and of transformers 5.
  const offloads = firstOf(config, ['fsdp_offload_params', 'offload_params', 'cpu_offload'])
  const isOffloaded = words.includes('offload') || (offloads?.value.kind === 'flag' && offloads.value.flag)
  const written = version ?? firstOf(config, ['fsdp_version', 'version'])
  const fsdpVersion = readFsdpVersion(reader, written)
  const wrapsWholeModel = readNoWrap(reader, words, from, config)
  const sharded = { sharding, ...(fsdpVersion && { fsdpVersion }), ...(wrapsWholeModel && { wrapsWholeModel }) }
  if (!isOffloaded) return sharded
  return { ...sharded, offload: reader.note('offload', 'optimizer-and-weights', offloads ?? from) }
}

function firstOf(config: Section | undefined, keys: readonly string[]): Field | undefined {
  return config && keys.flatMap(key => config.at(key) ?? [])[0]
}

/**
 * True where no layer is a unit of its own: a policy says so, or `fsdp` does not say `auto_wrap`, which transformers wants before 5.0
 * (4.57 training_args.py, whose plugin's default is NO_WRAP; 5.18 training_args.py, TRANSFORMER_BASED_WRAP).
 */
function readNoWrap(
  reader: FieldReader,
  words: readonly string[],
  fsdp: Field,
  config: Section | undefined,
): true | undefined {
  const policy = firstOf(config, ['fsdp_auto_wrap_policy', 'auto_wrap_policy'])
  const isUnwrapped =
    policy?.value.kind === 'text'
      ? /^no_wrap$/i.test(policy.value.text)
      : words.length > 0 && !words.includes('auto_wrap') && isBefore(reader.versions, 'transformers', '5.0')
  if (!isUnwrapped) return undefined
  if (policy === undefined)
    reader.assume(
      'Before transformers 5.0, FSDP gathers the whole model at once where `fsdp` does not say `auto_wrap`; with adapters, from 4.39 on, it wraps layers all the same.',
    )
  return reader.note('wrapsWholeModel', true as const, policy ?? fsdp)
}

/** 1 for FullyShardedDataParallel, 2 for fully_shard. */
function readFsdpVersion(reader: FieldReader, field: Field | undefined): 1 | 2 | undefined {
  const version = field && reader.wholeNumber(field, { min: 1, max: 2 })
  if (field === undefined || version === undefined) return undefined
  return reader.note('fsdpVersion', version === 1 ? 1 : 2, field)
}

function reshardsNever({ value }: Field): boolean {
  return value.kind === 'flag' && !value.flag
}

/** torch's ShardingStrategy, by accelerate's numbers (1.15 utils/constants.py FSDP_SHARDING_STRATEGY). */
const strategies = ['full_shard', 'shard_grad_op', 'no_shard', 'hybrid_shard', 'hybrid_shard_zero2']

/** By its name or its number. */
function strategyOf(setting: Field | undefined): string | undefined {
  const value = setting?.value
  if (value?.kind === 'number') return strategies[value.number - 1]
  return value?.kind === 'text' ? (strategies[Number(value.text) - 1] ?? value.text.toLowerCase()) : undefined
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
