import type { Field } from '../../text/section.ts'

/** Neither absent nor null. */
export function written(field: Field | undefined): Field | undefined {
  return field?.value.kind === 'empty' ? undefined : field
}
