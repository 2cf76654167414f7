/** Each field of a config.json, in the first of the catalogue's models that has it. */
import { findModel, modelIds } from '../../engine/models/catalogue.ts'
import { fieldsOf, withHostileValues } from './fields.ts'
import type { HostileInput } from './input.ts'
import { besideModel } from './named-cases.ts'

export function fieldsOfModels(): readonly HostileInput[] {
  const seen = new Set<string>()
  return modelIds.flatMap(id => {
    const model = findModel(id)
    if (model === undefined) return []
    const text = JSON.stringify(model.config, null, 2)
    return fieldsOf(text).flatMap(field => {
      if (seen.has(field.name)) return []
      seen.add(field.name)
      return withHostileValues(text, field, seen.size).map(
        (hostile): HostileInput => ({
          kind: 'files',
          name: `config.json of ${model.family}, ${hostile.name}`,
          filesIn: folder => besideModel(folder, hostile.text),
        }),
      )
    })
  })
}
