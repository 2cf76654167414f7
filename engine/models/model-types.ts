/**
 * Families by the `model_type` of their config.json. The build of the playground puts a file of its own in its place, which loads
 * most of them when a model asks for them.
 */
import { families } from './families.ts'
import { byModelType } from './family.ts'

const known = byModelType(families)

export function familyNamed(modelType: string) {
  return known.get(modelType)
}

/** Every `model_type` that is supported. */
export function modelTypes(): readonly string[] {
  return [...known.keys()]
}
