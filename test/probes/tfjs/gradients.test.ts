import * as tf from '@tensorflow/tfjs-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { activate } from '../../../engine/probes/tfjs/backend.ts'
import { openCpu } from '../../../engine/probes/tfjs/cpu-backend.ts'
import { Training } from '../../../engine/probes/tfjs/step.ts'
import { everyFamily, tinyBert, tinyGpt2, tinyResnet, withoutDropout } from './tiny.ts'

const cpu = openCpu()
const SAMPLES = 4
/** Short, since ReLU's kinks show over a longer way; not shorter, since float32 does over a shorter. */
const WAY = 0.0003
let training: Training

beforeAll(() => activate(cpu))
afterEach(() => training.dispose())

describe.each([tinyBert, tinyGpt2, tinyResnet].map(withoutDropout))('$name', ({ config, spec }) => {
  it('has the gradient that differences of its loss show, for every variable', () => {
    training = new Training(spec, config, SAMPLES, 'sgd', cpu.values)
    const { value, grads } = training.gradients()
    for (const variable of training.parameters.trainable) {
      const gradient = grads[variable.name]
      if (gradient === undefined) throw new Error(`${variable.name} has no gradient`)
      const along = tf.norm(gradient).arraySync() as number
      const difference = Math.abs(slope(variable, gradient) - along)
      expect(difference, variable.name).toBeLessThan(0.02 * along + 0.003)
    }
    tf.dispose([value, grads])
  })

  it('learns a batch by heart', () => {
    training = new Training(spec, config, SAMPLES, 'adam', cpu.values)
    const losses = Array.from({ length: 12 }, () => training.step())
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) - 0.05)
  })
})

describe.each(everyFamily)('$name', ({ config, spec }) => {
  it('gives every variable a gradient, and leaves no tensor behind', () => {
    const before = { tensors: tf.memory().numTensors, bytes: cpu.ledger.heldBytes }
    training = new Training(spec, config, SAMPLES, 'adam', cpu.values)
    expect(training.step()).toBeGreaterThan(0)
    const afterFirst = cpu.ledger.heldBytes
    training.step()
    expect(cpu.ledger.heldBytes).toBe(afterFirst)
    const { value, grads } = training.gradients()
    expect(Object.keys(grads)).toHaveLength(training.parameters.trainable.length)
    tf.dispose([value, grads])
    training.dispose()
    expect({ tensors: tf.memory().numTensors, bytes: cpu.ledger.heldBytes }).toEqual(before)
  })
})

/** The change of the loss per unit of way along `direction`, by central differences: along a gradient, its length. */
function slope(variable: tf.Variable, direction: tf.Tensor): number {
  const unit = tf.tidy(() => tf.div(direction, tf.norm(direction)))
  const original = tf.clone(variable)
  const lossAt = (way: number) =>
    tf.tidy(() => {
      variable.assign(tf.add(original, tf.mul(unit, way)))
      return training.loss().dataSync()[0] ?? Number.NaN
    })
  const difference = (lossAt(WAY / 2) - lossAt(-WAY / 2)) / WAY
  variable.assign(original)
  tf.dispose([unit, original])
  return difference
}
