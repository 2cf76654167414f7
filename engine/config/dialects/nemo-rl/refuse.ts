import type { FieldReader } from '../../fields.ts'
import type { Field } from '../../section.ts'
import { leaveOut } from '../../supplied.ts'

/** `what`: the subject of a sentence. */
export function refuse(reader: FieldReader, field: Field, what: string): void {
  reader.refuse(field, 'unsupported-setting', `${what} is not modelled yet for NeMo RL`, leaveOut)
}
