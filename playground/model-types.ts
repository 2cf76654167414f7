/**
 * In the place of engine/models/model-types.ts, with which it shares its functions: the dense decoders that most configs name are
 * there at once, all other families when a model asks for them, and with them the facts of their models.
 */
import type { CatalogueRow } from '../engine/models/catalogue.ts'
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
let otherConfigs: readonly CatalogueRow['config'][] | undefined

/** The catcher loads late-models.ts, calls `provideModels` and tries again. */
export class FamiliesNotLoaded extends Error {}

/** `rows`: those of the catalogue whose families are not there at once, in its order. */
export function provideModels(families: readonly AnyFamily[], rows: readonly Pick<CatalogueRow, 'config'>[]): void {
  all = byModelType(families)
  otherConfigs = rows.map(({ config }) => config)
}

/** Whether a family is there at once. */
export function isThereAtOnce(modelType: string): boolean {
  return first.has(modelType)
}

/**
 * The config of the row at `place` among those of other families.
 * @throws FamiliesNotLoaded
 */
export function otherConfig(place: number): CatalogueRow['config'] | undefined {
  if (otherConfigs === undefined) throw new FamiliesNotLoaded()
  return otherConfigs[place]
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
