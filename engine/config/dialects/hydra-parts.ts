/** The defaults list of a config that Hydra composes, as of 1.3. */
import type { FieldValue, Section } from '../text/section.ts'

/** Entries, `model: gpt2` or a file name, for the training: without itself and Hydra's own settings. */
export function partsOf(document: Section): readonly string[] {
  const value = document.at('defaults')?.value
  const parts = value?.kind === 'list' ? value.items.flatMap(partIn) : []
  return parts.filter(part => !/^_self_$|^(?:override )?\/?hydra(?:\/|:|$)/.test(part))
}

function partIn(item: FieldValue): readonly string[] {
  if (item.kind === 'text') return [item.text]
  if (item.kind !== 'mapping') return []
  return [...item.section.fields.values()].map(({ key, source }) => `${key}: ${source}`)
}
