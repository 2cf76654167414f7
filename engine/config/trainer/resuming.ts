/** Whether a Trainer goes on from a checkpoint: `resume_from_checkpoint`, its folder or a switch. */
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'

export function readResuming(reader: FieldReader, find: (key: string) => Field | undefined): true | undefined {
  const field = find('resume_from_checkpoint')
  if (field === undefined) return undefined
  const { value } = field
  const isAsked = value.kind === 'flag' ? value.flag : value.kind === 'text' && /^(?!false$|none$)./i.test(value.text)
  return isAsked ? reader.note('resumes', true as const, field) : undefined
}
