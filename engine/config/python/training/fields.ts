/** Values as the fields that dialects read, each with the place of its literal. */

import type { Position } from '../../../base/position.ts'
import { plain, plainSentence } from '../../text/quote.ts'
import { type Field, type FieldValue, type Place, Section } from '../../text/section.ts'
import type { Module } from '../syntax/module.ts'
import { type Located, lineOf, lineOffset, placeIn, type Value } from '../values/values.ts'

/** Of one field; a dictionary that holds itself twice, sixty levels deep, holds more. */
const MAX_VALUES = 5_000

/** Of the values that one field may hold. */
interface Room {
  left: number
}

/** `file`: the one being read; fields say where they stand elsewhere. */
export function fieldOf(key: string, value: Value, file: Module, room: Room = { left: MAX_VALUES }): Field {
  const { module, remarks } = value
  return {
    key,
    name: plain(key),
    value: fieldValue(value, key, file, room),
    ...placeOf(value),
    ...(module.path !== file.readFor && { file: module.path }),
    ...toldWith(remarks),
  }
}

/** A field for what a call says by being there. */
export function saidBy(located: Located, key: string, value: FieldValue, file: Module, name = key): Field {
  const { module, remarks } = located
  return {
    key,
    name,
    value,
    ...placeOf(located),
    ...(module.path !== file.readFor && { file: module.path }),
    ...toldWith(remarks),
  }
}

function toldWith(remarks: readonly string[]): Pick<Field, 'assumptions'> {
  return remarks.length === 0 ? {} : { assumptions: [...new Set(remarks.map(remark => plainSentence(remark)))] }
}

export function openField(located: Located, key: string, why: string, file: Module): Field {
  return saidBy(located, key, { kind: 'open', why: plainSentence(why) }, file)
}

function placeOf({ module, from, to }: Located): Place {
  return { at: positionOf(module, from), source: plain(module.text.slice(from, Math.min(to, from + 400))) }
}

export function positionOf(module: Module, offset: number): Position {
  if (module.notebook !== undefined) return module.notebook.positionOf(offset)
  const line = lineOf(module, offset)
  return { line, column: offset - lineOffset(module, line) + 1 }
}

function fieldValue(value: Value, key: string, file: Module, room: Room): FieldValue {
  if (--room.left < 0) return { kind: 'open', why: `it holds more than ${MAX_VALUES} values` }
  switch (value.kind) {
    case 'number':
      return { kind: 'number', number: value.number }
    case 'text':
      return { kind: 'text', text: value.text }
    case 'flag':
      return { kind: 'flag', flag: value.flag }
    case 'none':
      return { kind: 'empty' }
    case 'symbol':
      return (
        ofLibrary(value.name) ?? {
          kind: 'open',
          why: `it is ${plain(value.name)} (${placeIn(value.module, value.from)}), which the file does not set`,
        }
      )
    case 'list': {
      const open = value.items.find(({ kind }) => kind === 'open')
      if (open?.kind === 'open') return { kind: 'open', why: plainSentence(open.why) }
      return {
        kind: 'list',
        items: value.items.map(item => ({ ...fieldValue(item, key, file, room), ...placeOf(item) })),
      }
    }
    case 'mapping': {
      if (value.unknown !== undefined) return { kind: 'open', why: `${value.unknown} depends on run time` }
      const fields = [...value.entries].map(([name, entry]) => fieldOf(name, entry, file, room))
      return { kind: 'mapping', section: Section.of(fields, key) }
    }
    case 'open':
      return { kind: 'open', why: plainSentence(value.why) }
    case 'function':
    case 'class':
      return {
        kind: 'open',
        why: `${plain(value.scope.name)} is a ${value.kind}, which is not called (${placeIn(value.module, value.from)})`,
      }
    case 'call':
    case 'instance':
    case 'module':
      return {
        kind: 'open',
        why: `${plain(value.module.text.slice(value.from, value.to))} is computed (${placeIn(value.module, value.from)})`,
      }
  }
}

/** `torch.bfloat16`, the names of optimizers, and peft's task types. */
function ofLibrary(name: string): FieldValue | undefined {
  const [, optimizer] = /\bOptimizerNames\.(\w+)$/.exec(name) ?? []
  if (optimizer !== undefined) return { kind: 'text', text: optimizer.toLowerCase() }
  return /^torch\.\w+$|\bTaskType\.\w+$/.test(name) ? { kind: 'text', text: name } : undefined
}
