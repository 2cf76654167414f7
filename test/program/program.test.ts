/** Programs: how a model is written down, and how an interpreter goes through what was written. */
import { describe, expect, test } from 'vitest'
import { rows as torchRows } from '../../engine/estimate/tape/registry.ts'
import { imageOfSample } from '../../engine/models/architecture.ts'
import { modelIds } from '../../engine/models/catalogue.ts'
import { programOf } from '../../engine/models/forward-program.ts'
import { litgptConfigOf } from '../../engine/models/litgpt.ts'
import { type Builder, trace } from '../../engine/program/builder.ts'
import { interpret, MissingOp, type Rows } from '../../engine/program/interpreter.ts'
import { type OpName, ops } from '../../engine/program/ops.ts'
import { Body, LayerStack, type Operation, opsIn } from '../../engine/program/program.ts'
import type { Value } from '../../engine/program/value.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

/** Values stand for texts: what was computed, written out. */
const words: Partial<Rows<string[], string>> = {
  input: () => 'x',
  linear: (log, name, x) => {
    log.push(name)
    return `${name}(${x})`
  },
  add: (_, x, y) => `${x} + ${y}`,
  split: (_, x, sizes) => sizes.map((size, index) => `${x}[${index}:${size}]`),
  concatenate: (_, parts) => parts.join(','),
  frame: (_, x, body) => `<${body(x)}>`,
  layers: (_, x, { kinds, layer }) => kinds.reduce((states, _kind, index) => layer(states, index), x),
}

function written(model: (ops: Builder) => Value): { text: string; log: readonly string[] } {
  const program = trace(model)
  const log: string[] = []
  return { text: interpret(program, words, log)(program.result), log }
}

function operationsIn(operations: readonly Operation[]): number {
  const within = (arg: unknown) => {
    if (arg instanceof Body) return operationsIn(arg.region.operations)
    if (!(arg instanceof LayerStack)) return 0
    return [...arg.regions.values()].reduce((sum, { operations: inside }) => sum + operationsIn(inside), 0)
  }
  return operations.reduce((sum, { args }) => sum + args.reduce((inner: number, arg) => inner + within(arg), 1), 0)
}

describe('a program', () => {
  test('is run op by op, with what each was given', () => {
    const { text } = written(ops => {
      const [first, second] = ops.split(ops.linear('in', ops.input(), 6), [2, 4]) as [Value, Value]
      return ops.concatenate([second, ops.add(first, second)])
    })
    expect(text).toBe('in(x)[1:4],in(x)[0:2] + in(x)[1:4]')
  })

  test('holds bodies of ops, which read what stands around them', () => {
    const { text } = written(ops => {
      const outside = ops.input()
      return ops.frame(ops.linear('before', outside, 1), inside => ops.add(inside, outside))
    })
    expect(text).toBe('<before(x) + x>')
  })

  test('numbers the names of repeated layers when it is run', () => {
    const { log } = written(ops =>
      ops.layers(ops.input(), 'model.layers', ['even', 'odd', 'even'], (x, { name, index }) =>
        ops.frame(x, input => ops.linear(`${name}.${index % 2 === 0 ? 'even' : 'odd'}`, input, 1)),
      ),
    )
    expect(log).toEqual(['model.layers.0.even', 'model.layers.1.odd', 'model.layers.2.even'])
  })

  test('hands values from one layer on to later ones of another kind', () => {
    const { text } = written(ops => {
      let kept: Value | undefined
      return ops.layers(ops.input(), 'layers', ['first', 'later', 'later'], (x: Value, { name }): Value => {
        if (kept !== undefined) return ops.add(x, kept)
        kept = ops.linear(name, x, 1)
        return kept
      })
    })
    expect(text).toBe('layers.0(x) + layers.0(x) + layers.0(x)')
  })

  test('writes a kind of layer down once, however many there are', () => {
    const deep = (layers: number) =>
      trace(ops =>
        ops.layers(ops.input(), 'layers', layers, (x, { name }) => ops.frame(x, input => ops.linear(name, input, 1))),
      )
    expect(operationsIn(deep(10).operations)).toBe(4)
    expect(operationsIn(deep(10_000).operations)).toBe(4)
  })

  test('cannot be run by rows that lack one of its ops, which is named', () => {
    const program = trace(ops => ops.rotaryTable(ops.input(), 8)[0])
    expect(() => interpret(program, words, [])).toThrow(MissingOp)
    expect(() => interpret(program, words, [])).toThrow('rotaryTable')
  })
})

describe('the programs of the catalogue', () => {
  const programs = modelIds.flatMap(id => {
    const { config, tasks } = knownModel(id)
    const images = imageOfSample(config, { height: 224, width: 224 })?.images
    const ofLitgpt =
      litgptConfigOf(config) && programOf(config, specOf(id, { modelCode: 'litgpt', quantization: 'nf4' }))
    return [
      ...tasks.map(task => programOf(config, specOf(id, { task, ...(images && { images }) }))),
      ...(ofLitgpt === undefined ? [] : [ofLitgpt]),
    ]
  })

  test('are made of ops that PyTorch has a row for, and use every one of them', () => {
    const used = new Set<OpName>(programs.flatMap(program => [...opsIn(program)]))
    const rowNames = Object.keys(torchRows).toSorted()
    expect(rowNames).toEqual([...Object.keys(ops), 'layers'].toSorted())
    expect([...used].toSorted()).toEqual(rowNames)
  })

  test('are data: no function is left in them', () => {
    expect(() => structuredClone({ body: () => 1 })).toThrow('could not be cloned')
    const some = programs.filter((_, index) => index % 10 === 0)
    for (const { operations } of some) expect(() => structuredClone(operations)).not.toThrow()
  })
})
