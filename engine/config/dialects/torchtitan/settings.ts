/** How torchtitan's settings are found under their names of several releases, and those that nothing here models. */
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { Field, Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'

/** The newest name first. */
export const batchSizeKeys = ['training.local_batch_size', 'training.batch_size'] as const

/** The first of these paths that holds a value. */
export function firstOf(document: Section, paths: readonly string[]): Field | undefined {
  const [found] = paths.flatMap(path => {
    const [key = '', ...rest] = path.split('.')
    return document.at(key, ...rest) ?? []
  })
  return found
}

export function refuse(reader: FieldReader, field: Field, what: string): void {
  reader.refuse(field, 'unsupported-setting', `${what} is not modelled yet for torchtitan`, leaveOut)
}

const switches = ['training.enable_cpu_offload', 'fault_tolerance.enable']
/** Above one they divide the model or its tokens. */
const divisions = ['pipeline_parallel_degree', 'context_parallel_degree', 'expert_parallel_degree']
/** Code of the team's own, beside or instead of torchtitan's. */
const code = ['experimental.custom_import', 'experimental.custom_args_module', 'experimental.custom_model_path']

export function refuseOthers(reader: FieldReader, document: Section): void {
  for (const path of switches) {
    const field = firstOf(document, [path])
    if (isOn(reader, field)) refuse(reader, field, field.name)
  }
  for (const name of divisions) {
    const field = firstOf(document, [`parallelism.${name}`, `experimental.${name}`])
    if (field !== undefined && (reader.wholeNumber(field, { max: 100_000 }) ?? 1) > 1) refuse(reader, field, field.name)
  }
  for (const path of code) {
    const field = firstOf(document, [path])
    if (field !== undefined && !(field.value.kind === 'text' && field.value.text === ''))
      refuse(reader, field, field.name)
  }
  const norm = document.at('model', 'norm_type')
  if (norm !== undefined && reader.text(norm) !== 'rmsnorm') refuse(reader, norm, `${norm.name} of ${norm.source}`)
  if (isOn(reader, document.at('validation', 'enable')))
    reader.assume('What a validation step takes is not counted: it keeps nothing for a backward pass.')
}
