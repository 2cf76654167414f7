/**
 * Accelerate's launch settings, as of 1.10: commands/config/config_args.py. They set GPUs, precision and sharding for the launched
 * script, but no batch size: they are not a training config, and must not raise a false alarm.
 */
import type { Dialect } from '../dialect.ts'
import { quote } from '../text/quote.ts'
import { writesAny } from '../text/written-keys.ts'

const ownKeys = ['compute_environment', 'distributed_type', 'main_training_function', 'machine_rank', 'downcast_bf16']

export const accelerate: Dialect = {
  name: 'Accelerate',
  mayBe: writesAny(['distributed_type', 'compute_environment']),
  recognise: document => {
    const found = ownKeys.filter(key => document.fields.has(key))
    return document.fields.has('distributed_type') && found.length >= 2 ? found.join(', ') : undefined
  },
  modelField: () => undefined,
  read: (document, reader) => {
    const gpus = document.at('num_processes')
    if (gpus?.value.kind === 'number') reader.note('gpus', gpus.value.number, gpus)
    const precision = document.at('mixed_precision')
    const says = [
      gpus && `${gpus.source} processes`,
      precision && `mixed precision ${quote(precision.source)}`,
      document.at('distributed_type')?.source,
    ].filter(part => part !== undefined)
    return {
      kind: 'not-a-training-config',
      why: `It holds launch settings of Accelerate (${says.join(', ')}) but no batch size: MemoryMark checks the script's own config instead.`,
    }
  },
}
