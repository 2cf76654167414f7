/**
 * torchtitan's flavors of Llama 3 (torchtitan/models/llama3/__init__.py) and, in early releases, of Llama 2 (llama2_configs of
 * torchtitan/models/llama/__init__.py), and the model of the Hub that each has the shape of.
 */
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'

const flavors: ReadonlyMap<string, string> = new Map([
  ['llama3 8B', 'meta-llama/Llama-3.1-8B'],
  ['llama3 70B', 'meta-llama/Llama-3.1-70B'],
  ['llama3 405B', 'meta-llama/Llama-3.1-405B'],
  ['llama2 7B', 'meta-llama/Llama-2-7b-hf'],
  ['llama2 13B', 'meta-llama/Llama-2-13b-hf'],
  ['llama2 70B', 'meta-llama/Llama-2-70b-hf'],
])

function textOf(field: Field | undefined): string | undefined {
  return field?.value.kind === 'text' ? field.value.text : undefined
}

/** The flavor's field, with the Hub's name of it as its value; undefined for models that are not modelled. */
export function hubModel(document: Section): Field | undefined {
  const field = document.at('model', 'flavor')
  const text = flavors.get(`${textOf(document.at('model', 'name')) ?? 'llama3'} ${textOf(field) ?? ''}`)
  return field && text ? { ...field, value: { kind: 'text', text } } : undefined
}

export function refuseUnknownModel(reader: FieldReader, document: Section): void {
  if (hubModel(document) !== undefined) return
  const [name, flavor] = [document.at('model', 'name'), document.at('model', 'flavor')]
  const said = `${textOf(name) ?? 'llama3'} ${textOf(flavor) ?? 'debugmodel'}`
  reader.refuse(flavor ?? name, 'unsupported-model', `torchtitan's own ${quote(said)} is not modelled yet`, leaveOut)
}
