/** Settings of activation checkpointing that transformers' tools have in common. */
import type { FieldReader } from '../fields.ts'
import type { Field } from '../section.ts'

/** `gradient_checkpointing_kwargs: {use_reentrant: …}`; undefined where the version of transformers decides. */
export function readReentrant(reader: FieldReader, kwargs: Field | undefined): boolean | undefined {
  const field = kwargs?.value.kind === 'mapping' ? kwargs.value.section.at('use_reentrant') : undefined
  const flag = field && reader.flag(field)
  return field === undefined || flag === undefined ? undefined : reader.note('reentrantCheckpoints', flag, field)
}
