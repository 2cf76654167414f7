/** Weights by name: which of them train, their types, and those that text does not reach. */
import { bytesPerElement, type Dtype, lastSize, type Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export function idle(tape: Tape, features: number, body: (x: Tensor) => Tensor): void {
  const [nodes, known] = [tape.nodes, tape.parameterNames.length]
  tape.nodes = []
  body(tape.tensor([1, features], tape.weightDtype, []))
  tape.nodes = nodes
  for (const name of tape.parameterNames.slice(known)) {
    const parameter = tape.parameters.get(name)
    if (parameter === undefined) continue
    if (tape.spec.trainsTowers && parameter.requiresGrad) tape.towers.push(parameter)
    else tape.parameters.set(name, { ...parameter, requiresGrad: false })
  }
}

/** int64 constants that the module registers as buffers. */
export function positionIds(tape: Tape, count: number): void {
  tape.buffer('position_ids', count * bytesPerElement.int64)
}

export function sinusoids(tape: Tape, name: string, x: Tensor, count: number, kind: 'parameter' | 'buffer'): Tensor {
  const features = lastSize(x)
  if (kind === 'parameter') tape.parameter(`${name}.weight`, [count, features], { trainable: false })
  else tape.buffer(`${name}.weights`, count * features * bytesPerElement[tape.weightDtype])
  const output = tape.tensor(x.shape, tape.weightDtype, [], { batched: kind === 'buffer' })
  tape.record(name, { reads: [], outputs: [output], kernel: 'look-up' })
  return output
}

export function table(tape: Tape, name: string, count: number, features: number): Tensor {
  return weightNamed(tape, `${name}.weight`, [count, features])
}

export function constant(tape: Tape, name: string, features: number): Tensor {
  const storage = tape.buffer(name, features * bytesPerElement[tape.weightDtype])
  return {
    storage,
    shape: [features],
    batched: false,
    dtype: tape.weightDtype,
    requiresGrad: false,
    edge: tape.newEdge(),
  }
}

/** peft utils/other.py ModulesToSaveWrapper: a trainable copy of a module is used, and the original is kept. */
export function savedWhole(
  tape: Tape,
  name: string,
  shape: readonly number[],
  original = `${name}.weight`,
  part: 'weight' | 'bias' = 'weight',
): Tensor | undefined {
  if (!isSavedWhole(tape, name) || !isPolicy(tape)) return undefined
  if (!tape.spec.lora?.savedOnHost) weightNamed(tape, original, shape)
  return tape.parameter(`${name}.modules_to_save.default.${part}`, shape, { trainable: true })
}

/** Named itself, or part of a module that is, as `classifier.dense` is of `classifier`. */
export function isSavedWhole(tape: Tape, name: string): boolean {
  const saved = tape.spec.lora?.modulesToSave
  return saved !== undefined && name.split('.').some(module => saved.includes(module))
}

export function weightNamed(tape: Tape, name: string, shape: readonly number[]): Tensor {
  const trainable = tape.spec.lora === undefined && isTrained(tape, name)
  return tape.parameter(name, shape, { trainable, ...(!trainable && frozenDtype(tape)) })
}

export function isTrained(tape: Tape, name: string): boolean {
  return tape.spec.trainable === undefined || (tape.trainedNames.kind === 'pattern' && tape.trainedNames.matches(name))
}

/** LLaMA-Factory model/adapter.py: weights are loaded in the compute type, and made float32 if they train. */
function frozenDtype(tape: Tape): { dtype?: Dtype } {
  const { trainable } = tape.spec
  const isLowered = trainable !== undefined && !trainable.keepsType && tape.pass?.of !== 'copy'
  return isLowered && tape.autocastDtype !== undefined ? { dtype: tape.autocastDtype } : {}
}

export function isPolicy(tape: Tape): boolean {
  return tape.pass === undefined || tape.pass.of === 'policy'
}
