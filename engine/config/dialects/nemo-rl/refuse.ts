import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { Field } from '../../text/section.ts'

/** `what`: the subject of a sentence. */
export function refuse(reader: FieldReader, field: Field, what: string): void {
  reader.refuse(field, 'unsupported-setting', `${what} is not modelled yet for NeMo RL`, leaveOut)
}
