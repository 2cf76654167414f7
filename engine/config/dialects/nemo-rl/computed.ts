/**
 * nemo_rl/utils/config.py register_omegaconf_resolvers: values computed from others, `${mul:${policy.max_total_sequence_length}, 4}`,
 * and OmegaConf's references, of which `..` begins at the mapping around the field's.
 */
import { plain } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'

const operations: Readonly<Record<string, (left: number, right: number) => number>> = {
  add: (left, right) => left + right,
  mul: (left, right) => left * right,
  div: (left, right) => left / right,
  max: Math.max,
}

const MAX_CHARACTERS = 200
const MAX_DEPTH = 4

const operation = /^\$\{(add|mul|div|max):(.*)\}$/
const reference = /^\$\{(\.{0,5})([A-Za-z_]\w*(?:\.\w+){0,9})\}$/

/** The field with the number that its text comes to, where it is such a text and all that it names is there. */
export function computed(document: Section, field: Field | undefined): Field | undefined {
  if (field?.value.kind !== 'text') return field
  const number = numberIn(document, field.value.text, field.name, MAX_DEPTH)
  return number === undefined ? field : { ...field, value: { kind: 'number', number }, source: plain(field.source) }
}

/** Whether the field is such a product, one of whose factors is the field of this name. */
export function growsWith(field: Field | undefined, name: string): boolean {
  if (field?.value.kind !== 'text') return false
  const [, how, inner = ''] = operation.exec(field.value.text.slice(0, MAX_CHARACTERS)) ?? []
  return how === 'mul' && argumentsIn(inner).some(each => pathOf(each, field.name) === name)
}

function numberIn(document: Section, text: string, from: string, depth: number): number | undefined {
  const trimmed = text.slice(0, MAX_CHARACTERS).trim()
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(trimmed)) return Number(trimmed)
  if (depth === 0) return undefined
  const [, how, inner = ''] = operation.exec(trimmed) ?? []
  if (how !== undefined) {
    const [left, right, ...others] = argumentsIn(inner).map(each => numberIn(document, each, from, depth - 1))
    return left === undefined || right === undefined || others.length > 0 ? undefined : operations[how]?.(left, right)
  }
  const path = pathOf(trimmed, from)
  const [first, ...rest] = path?.split('.') ?? []
  const target = first === undefined ? undefined : document.at(first, ...rest)
  if (target?.value.kind === 'number') return target.value.number
  return target?.value.kind === 'text' ? numberIn(document, target.value.text, target.name, depth - 1) : undefined
}

/** From the top of the document. */
function pathOf(text: string, from: string): string | undefined {
  const [, dots = '', path] = reference.exec(text.trim()) ?? []
  if (path === undefined || dots === '') return path
  return [...from.split('.').slice(0, -dots.length), path].join('.')
}

/** Between the commas that stand in no braces. */
function argumentsIn(inner: string): readonly string[] {
  const parts: string[] = ['']
  let depth = 0
  for (const character of inner) {
    if (character === '{') depth++
    if (character === '}') depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}
