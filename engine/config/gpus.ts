/** How many GPUs train together. The launcher's command line says it, so most configs do not. */
import type { FieldReader } from './fields.ts'
import type { Field } from './section.ts'
import type { Sharding } from './spec.ts'
import { SETTINGS_PATH } from './supplied.ts'

/**
 * GPUs assumed if the config shards the training but nobody says over how many: most rented machines have this many.
 */
export const GPUS_OF_A_MACHINE = 8

const UNNAMED = 'not in the file'

export function readGpus(reader: FieldReader, written: Field | undefined, sharding?: Sharding): number {
  const field = reader.fieldFor('gpus', written)
  const divides = sharding !== undefined && sharding !== 'ddp'
  const byDefault = divides
    ? {
        value: GPUS_OF_A_MACHINE,
        assumption: `${GPUS_OF_A_MACHINE} GPUs: the config divides the training among several but does not say how many; set gpus for this path in the overrides of ${SETTINGS_PATH}.`,
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
