/** Losses that the playground loads with the families that take them. */
import { expect, test } from 'vitest'
import { ctcLoss } from '../../engine/estimate/objectives/ctc-loss.ts'
import { detectionLoss } from '../../engine/estimate/objectives/detection-loss.ts'
import { sentenceLoss as every } from '../../engine/estimate/objectives/sentence-loss.ts'
import { Tape } from '../../engine/estimate/tape/tape.ts'
import { catalogueRows } from '../../engine/models/catalogue.ts'
import { provideLosses, sentenceLoss } from '../../playground/family-losses.ts'
import { FamiliesNotLoaded, isThereAtOnce } from '../../playground/model-types.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

test('no family that is there at once takes them', () => {
  const tasks = catalogueRows
    .filter(({ config }) => isThereAtOnce(config.model_type))
    .flatMap(({ ids: [id = ''] }) => knownModel(id).tasks)
  for (const task of ['ctc', 'object-detection', 'sentence-similarity'] as const) expect(tasks).not.toContain(task)
})

test('they come later, as the engine has them', () => {
  const spec = specOf('bert', { task: 'sentence-similarity', sequenceLength: 64 })
  const { config } = knownModel('bert')
  const nodesOf = (loss: typeof every) => {
    const tape = new Tape(spec, { hasFlash: true })
    loss(tape, config, spec)
    return tape.nodes.map(({ name }) => name)
  }
  expect(() => nodesOf(sentenceLoss)).toThrow(FamiliesNotLoaded)
  provideLosses({ ctcLoss, detectionLoss, sentenceLoss: every })
  expect(nodesOf(sentenceLoss)).toEqual(nodesOf(every))
})
