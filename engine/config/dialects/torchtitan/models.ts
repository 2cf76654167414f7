/** torchtitan's flavors of Llama 3 (torchtitan/models/llama3/__init__.py) and the model of the Hub that each has the shape of. */
import type { FieldReader } from '../../fields.ts'
import { quote } from '../../quote.ts'
import type { Field, Section } from '../../section.ts'
import { leaveOut } from '../../supplied.ts'

const flavors: ReadonlyMap<string, string> = new Map([
  ['8B', 'meta-llama/Llama-3.1-8B'],
  ['70B', 'meta-llama/Llama-3.1-70B'],
  ['405B', 'meta-llama/Llama-3.1-405B'],
])

function textOf(field: Field | undefined): string | undefined {
  return field?.value.kind === 'text' ? field.value.text : undefined
}

/** The flavor's field, with the Hub's name of it as its value; undefined for models that are not modelled. */
export function hubModel(document: Section): Field | undefined {
  const field = document.at('model', 'flavor')
  const text = (textOf(document.at('model', 'name')) ?? 'llama3') === 'llama3' && flavors.get(textOf(field) ?? '')
  return field && text ? { ...field, value: { kind: 'text', text } } : undefined
}

export function refuseUnknownModel(reader: FieldReader, document: Section): void {
  if (hubModel(document) !== undefined) return
  const [name, flavor] = [document.at('model', 'name'), document.at('model', 'flavor')]
  const said = `${textOf(name) ?? 'llama3'} ${textOf(flavor) ?? 'debugmodel'}`
  reader.refuse(flavor ?? name, 'unsupported-model', `torchtitan's own ${quote(said)} is not modelled yet`, leaveOut)
}
