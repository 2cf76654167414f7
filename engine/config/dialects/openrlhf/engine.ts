/** How OpenRLHF sets DeepSpeed up: utils/deepspeed/deepspeed.py and deepspeed_utils.py, get_train_ds_config. */
import type { Precision, Sharding } from '../../../training/choices.ts'
import { overlapsByDefault, zeroDefaults } from '../../../training/zero-defaults.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'
import type { Sharded } from '../../trainer/sharding.ts'
import { hasNewerNames, optionIn } from './options.ts'

const stages: readonly (Sharding | undefined)[] = [undefined, 'zero1', 'zero2', 'zero3']

/** Its "auto" is dropped by DeepSpeed (0.19 runtime/config_utils.py), whose own defaults then hold. */
export function readSharding(reader: FieldReader, document: Section): Sharded {
  const field = optionIn(document, 'zero_stage')
  const stage = field === undefined ? 2 : reader.wholeNumber(field, { min: 0, max: 3 })
  const sharding = stage === undefined ? 'zero2' : stages[stage]
  if (sharding === undefined) {
    refuse(reader, field, `${field?.name} 0, which leaves gradients and optimizer state whole,`)
    return {}
  }
  const overlaps = isOn(reader, optionIn(document, 'overlap_comm'))
  const offload = optionIn(document, 'adam_offload')
  return {
    sharding: reader.note('sharding', sharding, field ?? "OpenRLHF's default"),
    zero: { ...zeroDefaults, overlapsCommunication: overlaps || overlapsByDefault(sharding) },
    ...(isOn(reader, offload) && { offload: reader.note('offload', 'optimizer', offload) }),
  }
}

/** `--bf16` before 0.9.2, `--param_dtype` since, whose default is bf16. */
export function readPrecision(reader: FieldReader, document: Section): Precision {
  const [bf16, type] = [document.at('bf16'), optionIn(document, 'param_dtype')]
  const name = reader.text(type) ?? 'bf16'
  if (name !== 'bf16') {
    const message = `Training with ${type?.name} ${quote(name)} is not modelled yet for OpenRLHF`
    reader.refuse(type, 'unsupported-precision', message, 'Use bf16, its default.')
  }
  if (bf16 === undefined && type === undefined && !hasNewerNames(document))
    reader.assume(
      "Weights in bf16 with float32 copies in the optimizer, OpenRLHF's default since 0.9.2; before, DeepSpeed refuses 16-bit weights without --bf16.",
    )
  return reader.note('precision', 'bf16-master', type ?? bf16 ?? "OpenRLHF's default")
}

const switches = ['deepcompile'] as const
/** For each of these, a value of one changes nothing. */
const divisions = ['zpg', 'ds_tensor_parallel_size'] as const

export function refuseUnmodelled(reader: FieldReader, document: Section): void {
  for (const name of switches) {
    const field = optionIn(document, name)
    if (isOn(reader, field)) refuse(reader, field, field.name)
  }
  for (const name of divisions) {
    const field = optionIn(document, name)
    if ((reader.wholeNumber(field, { max: 100_000 }) ?? 1) > 1) refuse(reader, field, `${field?.name} above 1`)
  }
  const sum = optionIn(document, 'grad_accum_dtype')
  if (sum !== undefined && !/^(?:bf16|bfloat16)$/.test(reader.text(sum) ?? 'bf16'))
    refuse(reader, sum, `A sum of gradients in ${quote(sum.source)}`)
  const optimizer = document.at('optim')
  if (optimizer !== undefined && (reader.text(optimizer) ?? 'adam') !== 'adam')
    refuse(reader, optimizer, `The optimizer ${quote(optimizer.source)}`)
}

export function refuse(reader: FieldReader, field: Field | undefined, what: string): void {
  reader.refuse(field, 'unsupported-setting', `${what} is not modelled yet for OpenRLHF`, leaveOut)
}
