/** The rows of the playground's first answer beside all of the engine's. */
import { expect, test } from 'vitest'
import { rows as every } from '../../engine/estimate/tape/registry.ts'
import { catalogueRows } from '../../engine/models/catalogue.ts'
import { programOf } from '../../engine/models/forward-program.ts'
import { Body, LayerStack, type Operation } from '../../engine/program/program.ts'
import { FamiliesNotLoaded, isThereAtOnce } from '../../playground/model-types.ts'
import { provideRows, rows } from '../../playground/op-rows.ts'
import { knownModel } from '../estimate/specs.ts'

test('what families compute that are there at once needs no other rows, and all others come later', () => {
  const used = catalogueRows
    .filter(({ config }) => isThereAtOnce(config.model_type))
    .flatMap(({ ids: [id = ''] }) => {
      const { config, tasks } = knownModel(id)
      return tasks.flatMap(task =>
        opsOf(programOf(config, { task, step: 'training', labels: 2, sequenceLength: 64 }).operations),
      )
    })
  expect(used.filter(op => rows[op] !== every[op])).toEqual([])
  expect(() => rows.conv2d).toThrow(FamiliesNotLoaded)

  provideRows(every)
  expect(rows.conv2d).toBe(every.conv2d)
})

function opsOf(operations: readonly Operation[]): (keyof typeof every)[] {
  return operations.flatMap(({ op, args }) => [op, ...args.flatMap(inside)])
}

function inside(arg: unknown): (keyof typeof every)[] {
  if (arg instanceof Body) return opsOf(arg.region.operations)
  return arg instanceof LayerStack ? [...arg.regions.values()].flatMap(region => opsOf(region.operations)) : []
}
