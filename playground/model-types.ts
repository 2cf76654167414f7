/**
 * In the place of engine/models/model-types.ts, with which it shares its functions: the dense decoders that most configs name are
 * there at once, all other families when a model asks for them.
 */
import { llamaFamily, mistralFamily, smollm3Family } from '../engine/models/decoders/llama.ts'
import { qwen2Family, qwen3Family } from '../engine/models/decoders/qwen.ts'
import type { families } from '../engine/models/families.ts'
import { byModelType } from '../engine/models/family.ts'

type AnyFamily = (typeof families)[number]

const first: ReadonlyMap<string, AnyFamily> = byModelType<AnyFamily>([
  llamaFamily,
  mistralFamily,
  smollm3Family,
  qwen2Family,
  qwen3Family,
])
let all: ReadonlyMap<string, AnyFamily> | undefined

/** The catcher loads the families, calls `provideFamilies` and tries again. */
export class FamiliesNotLoaded extends Error {}

export function provideFamilies(loaded: readonly AnyFamily[]): void {
  all = byModelType(loaded)
}

/** @throws FamiliesNotLoaded */
export function familyNamed(modelType: string): AnyFamily | undefined {
  return first.get(modelType) ?? everyFamily().get(modelType)
}

/** @throws FamiliesNotLoaded */
export function modelTypes(): readonly string[] {
  return [...everyFamily().keys()]
}

function everyFamily(): ReadonlyMap<string, AnyFamily> {
  if (all === undefined) throw new FamiliesNotLoaded()
  return all
}
