/** What verl's trainers share: how FSDP holds the model, and what changes a step in ways that nothing here models. */
import { isVisionLanguageModel } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { Precision } from '../../../training/choices.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { type Lora, readLora, readTargets } from '../../trainer/adapter.ts'
import { isOn, tellOfLigerNorms } from '../../trainer/method.ts'
import type { Sharded } from '../../trainer/sharding.ts'

export function refuse(reader: FieldReader, field: Field, what: string): void {
  reader.refuse(field, 'unsupported-setting', `${what} is not modelled yet for verl`, leaveOut)
}

/** Of each, by its name. */
export function refuseSwitches(reader: FieldReader, fields: readonly (Field | undefined)[]): void {
  for (const field of fields) if (isOn(reader, field)) refuse(reader, field, field.name)
}

/** For each of these, one changes nothing, nor does zero: verl's own files write min_num_params: 0. */
function refuseDivisions(reader: FieldReader, fields: readonly (Field | undefined)[]): void {
  for (const field of fields)
    if (field !== undefined && (reader.wholeNumber(field, { min: 0, max: 100_000 }) ?? 1) > 1)
      refuse(reader, field, field.name)
}

interface Ulysses {
  /** The settings that may say it, of which the first above one counts. */
  readonly fields: readonly (Field | undefined)[]
  readonly gpus: number
  readonly removesPadding: boolean
}

/** utils/ulysses.py: GPUs among which every sequence is divided; each such group of GPUs trains sequences of its own. */
export function readUlysses(reader: FieldReader, { fields, gpus, removesPadding }: Ulysses): number {
  const field = fields.find(each => each !== undefined && (reader.wholeNumber(each, { min: 0, max: 1_000 }) ?? 1) > 1)
  const group = field && reader.wholeNumber(field, { max: 1_000 })
  if (field === undefined || group === undefined) return 1
  if (gpus % group !== 0) {
    const message = `${gpus} GPUs make no groups of ${group} that share a sequence, so that verl does not start`
    reader.refuse(field, 'gpus-mismatch', message, 'Set it to a divisor of the number of GPUs.')
    return 1
  }
  if (!removesPadding) {
    const message = `${field.name} of ${group} needs use_remove_padding, without which verl does not start`
    reader.refuse(field, 'unsupported-setting', message, 'Set use_remove_padding to True, or leave it at 1.')
    return 1
  }
  return group
}

/** GPUs in groups of `shared` each that train the same sequences. */
export function groupsShown(groups: number, shared: number): string {
  if (shared > 1) return `each of ${groups} groups of ${shared} GPUs`
  return groups === 1 ? 'one GPU' : `each of ${groups} GPUs`
}

/** Neither absent nor null. */
export function refuseWritten(reader: FieldReader, fields: readonly (Field | undefined)[]): void {
  for (const field of fields) if (field !== undefined && field.value.kind !== 'empty') refuse(reader, field, field.name)
}

/** Adapters of an earlier run, kernels in place of transformers': `model` of either trainer. */
export function refuseModelSettings(reader: FieldReader, part: Section): void {
  refuseSwitches(reader, [part.at('use_fused_kernels')])
  refuseWritten(reader, [part.at('lora_adapter_path'), part.at('exclude_modules'), part.at('external_lib')])
  const kernel = part.at('override_config', 'attn_implementation')
  if (kernel !== undefined && reader.text(kernel) !== 'flash_attention_2')
    refuse(reader, kernel, `${kernel.name} of ${quote(kernel.source)}`)
  tellOfLigerNorms(reader, part.at('use_liger'))
}

/** Where a model that reads images is not even counted for its text. */
export function refuseImages(reader: FieldReader, path: Field | undefined, model: CatalogueModel | undefined): void {
  if (model !== undefined && isVisionLanguageModel(model.config))
    reader.refuse(path, 'unsupported-training', 'Training on images with verl is not modelled yet here', leaveOut)
}

const versions: ReadonlyMap<string, 1 | 2> = new Map([
  ['fsdp', 1],
  ['fsdp2', 2],
])

/** FSDP whatever the number of GPUs is; gradients are summed with every micro-batch. */
export function readSharding(reader: FieldReader, strategy: Field | undefined, byDefault: 'fsdp' | 'fsdp2'): Sharded {
  const name = reader.text(strategy) ?? byDefault
  const fsdpVersion = versions.get(name)
  if (fsdpVersion === undefined) refuse(reader, strategy!, `The strategy ${quote(name)}`)
  reader.note('fsdpVersion', fsdpVersion, strategy ?? "verl's default")
  return {
    sharding: reader.note('sharding', 'fsdp', strategy ?? "verl's only way"),
    fsdpVersion,
    syncsEveryMicroBatch: true,
  }
}

/** workers/fsdp_workers.py create_device_mesh: a negative size, and one of all GPUs or more, shards over all of them. */
export function readShards(
  reader: FieldReader,
  size: Field | undefined,
  gpus: number,
): Partial<Pick<TrainingSpec, 'shardedOver'>> {
  if (size?.value.kind !== 'number' || size.value.number < 0 || size.value.number >= gpus) return {}
  const shards = size.value.number
  if (shards < 2) refuse(reader, size, `${size.name} of ${shards}`)
  else if (gpus % shards !== 0) {
    const message = `${gpus} GPUs make no groups of ${shards} that hold a copy of the model, so that verl does not start`
    reader.refuse(size, 'gpus-mismatch', message, 'Set it to a divisor of the number of GPUs, or to -1.')
  } else return { shardedOver: reader.note('shardedOver', shards, size) }
  return {}
}

/** utils/fsdp_utils.py: what else the settings of FSDP may change. */
export function refuseFsdpSettings(reader: FieldReader, config: Section | undefined): void {
  if (config === undefined) return
  const reshards = config.at('reshard_after_forward')
  if (reshards !== undefined && reader.flag(reshards) === false) refuse(reader, reshards, `${reshards.name} of False`)
  refuseSwitches(reader, [config.at('offload_policy'), config.at('forward_prefetch')])
  refuseDivisions(reader, [config.at('wrap_policy', 'min_num_params')])
  refuseWritten(reader, [config.at('wrap_policy', 'transformer_layer_cls_to_wrap'), config.at('mixed_precision')])
}

const wide = new Set(['fp32', 'float32'])
const narrow = new Set(['bf16', 'bfloat16'])

/** The type of FSDP's shards, of which bf16 copies compute; the optimizer steps in it. */
export function readPrecision(reader: FieldReader, field: Field | undefined): Precision {
  const name = reader.text(field) ?? 'fp32'
  const from = field ?? "verl's default"
  if (wide.has(name)) return reader.note('precision', 'bf16-master', from)
  if (!narrow.has(name)) refuse(reader, field!, `A model_dtype of ${quote(name)}`)
  return reader.note('precision', 'bf16', from)
}

/** Without dropout, in the type of the weights. */
export function readAdapter(reader: FieldReader, part: Section, model: CatalogueModel | undefined): Lora | undefined {
  const rank = part.at('lora_rank')
  if (rank === undefined || (reader.wholeNumber(rank, { min: 0, max: 10_000 }) ?? 0) === 0) return undefined
  const targetField = part.at('target_modules')
  return readLora(reader, model, {
    rank,
    defaultRank: { value: 0, source: "verl's default" },
    dropout: undefined,
    defaultDropout: 0,
    targets: readTargets(reader, targetField) ?? 'all-linear',
    targetField,
    inWeightsType: true,
  })
}

export function readCheckpointing(reader: FieldReader, field: Field | undefined): boolean {
  return reader.settle('gradientCheckpointing', field, present => reader.flag(present), {
    value: true,
    source: "verl's default",
  })
}

/**
 * utils/activation_offload.py: what the layers keep goes to the host while the next computes, and at most two layers' is on the GPU.
 * Beside checkpointing, which it then does itself and reentrantly, that is each layer's input.
 */
export function readActivationOffload(
  reader: FieldReader,
  field: Field | undefined,
  checkpoints: boolean,
): { offloadsCheckpoints?: true; reentrantCheckpoints: boolean } {
  if (!isOn(reader, field)) return { reentrantCheckpoints: false }
  if (!checkpoints) refuse(reader, field, `${field.name} without gradient checkpointing`)
  reader.assume(
    'The inputs of the layers wait on the host; the two that verl keeps on the GPU at a time are not counted.',
  )
  return { offloadsCheckpoints: reader.note('offloadsCheckpoints', true, field), reentrantCheckpoints: true }
}

/** workers/config/optimizer.py: torch.optim's AdamW unless another class is named. */
export function readOptimizer(reader: FieldReader, optim: Section | undefined): 'adamw' {
  for (const [key, usual] of [
    ['optimizer', 'AdamW'],
    ['optimizer_impl', 'torch.optim'],
  ] as const) {
    const field = optim?.at(key)
    if (field !== undefined && reader.text(field) !== usual)
      refuse(reader, field, `${field.name} ${quote(field.source)}`)
  }
  return reader.note('optimizer', 'adamw', "verl's default")
}

export function sectionAt(document: Section, ...keys: [string, ...string[]]): Section | undefined {
  const value = document.at(...keys)?.value
  return value?.kind === 'mapping' ? value.section : undefined
}
