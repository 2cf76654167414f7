/** nemo_rl/utils/config.py load_config_with_inheritance: `defaults` names files beside the config, whose values it overrides. */
import type { FieldReader } from '../../fields/fields.ts'
import { oneOf, quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'

/** As many as are read of one config. */
export const MAX_PARENTS = 8

/** Paths, as written: a text, or a list of them. */
export function parentsOf(document: Section): readonly string[] {
  const value = document.at('defaults')?.value
  const items = value?.kind === 'list' ? value.items : value === undefined ? [] : [value]
  const names = items.flatMap(item => (item.kind === 'text' ? [item.text] : []))
  // Hydra's own lists name groups, mostly without an ending.
  return names.length === items.length && names.every(name => /\.ya?ml$/i.test(name)) ? names : []
}

/** The field that still names parents, of which what could be read is laid under the config. */
export function absentParents(document: Section): Field | undefined {
  return parentsOf(document).length === 0 ? undefined : document.at('defaults')
}

/** What a run does not start without, and nothing here has a default for. */
const needed: readonly (readonly [string, ...string[]])[] = [
  ['policy', 'model_name'],
  ['policy', 'train_global_batch_size'],
  ['policy', 'train_micro_batch_size'],
  ['policy', 'max_total_sequence_length'],
  ['policy', 'precision'],
  ['policy', 'dtensor_cfg', 'enabled'],
  ['cluster', 'gpus_per_node'],
]

/** False where the config cannot be read without them. */
export function tellOfParents(reader: FieldReader, document: Section, parents: Field): boolean {
  const names = parentsOf(document).slice(0, MAX_PARENTS).map(quote).join(', ')
  const megatron = document.at('policy', 'megatron_cfg', 'enabled')
  // What is refused whatever the parents say.
  if (megatron?.value.kind === 'flag' && megatron.value.flag) return true
  const missing = needed.filter(path => document.at(...path) === undefined).map(path => path.join('.'))
  if (missing.length === 0) {
    reader.assume(
      `It inherits from ${names}, not found in the repository: what that sets beside is not known, so that nothing blocks.`,
    )
    return true
  }
  const message = `It inherits from ${names}, not found in the repository, and says itself nothing of ${oneOf(missing)}`
  reader.refuse(
    parents,
    'parent-not-in-repository',
    message,
    'Keep that file in the repository, or write the values into this one.',
  )
  return false
}
