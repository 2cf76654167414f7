/** On how many GPUs a training runs, if on any. The launcher's command line says it, so most configs do not. */

import type { Sharding } from '../../training/choices.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'
import type { FieldReader } from './fields.ts'
import { SETTINGS_PATH } from './supplied.ts'

/**
 * GPUs assumed if the config shards the training but nobody says over how many: most rented machines have this many.
 */
export const GPUS_OF_A_MACHINE = 8

const UNNAMED = 'not in the file'

/** `several`: as many are assumed of a training that is divided among an unknown number. */
export function readGpus(
  reader: FieldReader,
  written: Field | undefined,
  sharding?: Sharding,
  several = GPUS_OF_A_MACHINE,
): number {
  const field = reader.fieldFor('gpus', written)
  if (field?.value.kind === 'number' && field.value.number === 0) {
    refuseDevice(reader, field, 'cpu')
    return 1
  }
  const divides = sharding !== undefined && sharding !== 'ddp'
  const byDefault = divides
    ? {
        value: several,
        assumption: `${several} GPUs: the config divides the training among several but does not say how many; set gpus for this path in the overrides of ${SETTINGS_PATH}.`,
      }
    : { value: 1, assumption: 'One GPU: the config does not say how many processes run.' }
  return reader.settle('gpus', field, present => reader.wholeNumber(present, { max: 100_000 }), {
    source: UNNAMED,
    ...byDefault,
  })
}

/** Whether the file, its tool and the settings leave open how many GPUs train: the launcher decides. */
export function leavesGpusOpen({ decisions }: FieldReader): boolean {
  return decisions.some(({ setting, from }) => setting === 'gpus' && from.kind === 'default' && from.source === UNNAMED)
}

/** The training is put on the CPU, Apple's GPU or a TPU: what it takes of a GPU is no question. Absent and open devices are fine. */
export function refuseOtherDevices(reader: FieldReader, field: Field | undefined): void {
  if (field === undefined) return
  const { value } = field
  if (value.kind === 'text' && /^(?:cpu|mps|tpu)\b/i.test(value.text.trim()))
    refuseDevice(reader, field, value.text.trim())
}

/** As `refuseOtherDevices`, for a switch: `use_cpu: true`. */
export function refuseCpu(reader: FieldReader, field: Field | undefined): void {
  if (field?.value.kind === 'flag' && field.value.flag) refuseDevice(reader, field, 'cpu')
}

function refuseDevice(reader: FieldReader, field: Field, device: string): void {
  const message = `This trains on ${quote(device)}, which is not a GPU in the catalogue`
  reader.refuse(field, 'not-on-gpu', message, 'Exclude this config from the check, or name the GPUs.')
}
