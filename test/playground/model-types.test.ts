/** The families of the playground's first answer beside all of the engine's. */
import { expect, test } from 'vitest'
import { catalogueRows } from '../../engine/models/catalogue.ts'
import { families } from '../../engine/models/families.ts'
import * as engine from '../../engine/models/model-types.ts'
import * as playground from '../../playground/model-types.ts'

test('most families are missed until they are provided, and then all are the engine’s own', () => {
  expect(playground.familyNamed('qwen2')).toBe(engine.familyNamed('qwen2'))
  for (const missed of ['gpt2', 'no-such-type']) {
    expect(() => playground.familyNamed(missed)).toThrow(playground.FamiliesNotLoaded)
  }
  expect(() => playground.modelTypes()).toThrow(playground.FamiliesNotLoaded)
  expect(() => playground.otherConfig(0)).toThrow(playground.FamiliesNotLoaded)

  const rows = catalogueRows.filter(({ config }) => !playground.isThereAtOnce(config.model_type))
  playground.provideModels(families, rows)
  expect(rows.length).toBeGreaterThan(catalogueRows.length / 2)
  expect(rows.map((_, place) => playground.otherConfig(place))).toEqual(rows.map(({ config }) => config))
  expect(playground.modelTypes()).toEqual(engine.modelTypes())
  for (const type of engine.modelTypes()) expect(playground.familyNamed(type)).toBe(engine.familyNamed(type))
  expect(playground.familyNamed('no-such-type')).toBeUndefined()
})
