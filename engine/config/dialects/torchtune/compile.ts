/** What torchtune compiles: recipes/full_finetune_distributed.py and training/_compile.py of 0.7. */
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'

/**
 * `compile: True`, or a mapping of what is compiled: model and loss unless it leaves them out, the optimizer's step only where it is
 * named. A mapping that compiles no model stays unread, so that it is named.
 */
export function readCompile(reader: FieldReader, document: Section): Pick<TrainingSpec, 'compiled' | 'uncompiledLoss'> {
  const written = document.fields.get('compile')
  if (written?.value.kind !== 'mapping') {
    const field = document.at('compile')
    return isOn(reader, field) ? { compiled: reader.note('compiled', true, field) } : {}
  }
  const { section } = written.value
  const leavesOut = (part: string) => reader.flag(section.at(part)) === false
  if (leavesOut('model')) return {}
  document.at('compile')
  if (!isOn(reader, section.at('optimizer_step')) && !isOn(reader, document.at('optimizer', 'fused')))
    reader.assume("The optimizer's step is counted as if it were compiled, although compile leaves it out.")
  const compiled = reader.note('compiled', true as const, written)
  return leavesOut('loss')
    ? { compiled, uncompiledLoss: reader.note('uncompiledLoss', true as const, section.at('loss') ?? written) }
    : { compiled }
}
