/** Expressions of a syntax tree as small data, with the offsets at which they stand. What nothing reads is `opaque`. */
import type { SyntaxNode } from '@lezer/common'
import type { Value } from '../values/values.ts'
import { textOfString } from './string-literal.ts'

export interface Span {
  readonly from: number
  readonly to: number
}

export type Expression = Span &
  (
    | { readonly kind: 'number'; readonly number: number }
    | { readonly kind: 'text'; readonly text: string }
    /** An f-string, or literals that stand side by side. */
    | { readonly kind: 'joined'; readonly parts: readonly Expression[] }
    | { readonly kind: 'flag'; readonly flag: boolean }
    | { readonly kind: 'none' }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'attribute'; readonly object: Expression; readonly name: string }
    | { readonly kind: 'subscript'; readonly object: Expression; readonly index: Expression }
    | CallExpression
    /** A list, a tuple or a set. */
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
    /** An entry without a key is unpacked: `**defaults`. */
    | { readonly kind: 'dictionary'; readonly entries: readonly Entry[] }
    | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
    | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
    | {
        readonly kind: 'conditional'
        readonly condition: Expression
        readonly whenTrue: Expression
        readonly whenFalse: Expression
      }
    /**
     * A list or a dictionary without those that something else has not: `[name for name in names if name in found]`,
     * `{k: v for k, v in options.items() if k in known}`.
     */
    | { readonly kind: 'kept'; readonly of: Expression }
    /** Without parameters, as `default_factory` takes one. */
    | { readonly kind: 'lambda'; readonly body: Expression }
    /** Known before: an argument that stands in a file of settings. */
    | { readonly kind: 'given'; readonly value: Value }
    | { readonly kind: 'opaque' }
  )

export interface Entry {
  readonly key?: Expression
  readonly value: Expression
}

export interface CallExpression extends Span {
  readonly kind: 'call'
  readonly callee: Expression
  readonly arguments: readonly Argument[]
}

export type Argument =
  | { readonly kind: 'positional'; readonly value: Expression }
  | { readonly kind: 'keyword'; readonly name: string; readonly value: Expression }
  /** `**options` */
  | { readonly kind: 'unpacked'; readonly value: Expression }
  /** `*values` */
  | { readonly kind: 'spread' }

/** Deeper ones are `opaque`: a sum of ten thousand terms is no setting. */
const MAX_DEPTH = 60
/** Longer lists are data. */
const MAX_ITEMS = 2_000

export function expressionOf(node: SyntaxNode, text: string, depth = 0): Expression {
  const span = { from: node.from, to: node.to }
  const opaque: Expression = { ...span, kind: 'opaque' }
  if (depth > MAX_DEPTH) return opaque
  const inner = (child: SyntaxNode) => expressionOf(child, text, depth + 1)
  const source = () => text.slice(node.from, node.to)
  switch (node.name) {
    case 'Number':
      return numberOf(source(), span) ?? opaque
    case 'String': {
      const written = textOfString(source())
      return written === undefined ? opaque : { ...span, kind: 'text', text: written }
    }
    case 'FormatString':
      return formatted(node, text, depth)
    case 'ContinuedString':
      return { ...span, kind: 'joined', parts: parts(node).map(inner) }
    case 'Boolean':
      return { ...span, kind: 'flag', flag: source() === 'True' }
    case 'None':
      return { ...span, kind: 'none' }
    case 'VariableName':
      return { ...span, kind: 'name', name: source() }
    case 'ParenthesizedExpression': {
      const [only] = parts(node)
      return only === undefined ? opaque : inner(only)
    }
    case 'NamedExpression':
      return node.lastChild === null ? opaque : inner(node.lastChild)
    case 'MemberExpression':
      return memberOf(node, text, depth) ?? opaque
    case 'CallExpression': {
      const [callee, list] = parts(node)
      if (callee === undefined || list?.name !== 'ArgList') return opaque
      return { ...span, kind: 'call', callee: inner(callee), arguments: argumentsIn(list, text, depth + 1) }
    }
    case 'ArrayExpression':
    case 'TupleExpression':
    case 'SetExpression': {
      const items = parts(node)
      return items.length > MAX_ITEMS ? opaque : { ...span, kind: 'list', items: items.map(inner) }
    }
    case 'DictionaryExpression':
      return { ...span, kind: 'dictionary', entries: entriesIn(node, text, depth + 1) }
    case 'BinaryExpression':
      return joins(node) ? logical(node, text, depth) : (binaryOf(node, text, depth) ?? opaque)
    case 'UnaryExpression': {
      const [operator, operand] = children(node)
      if (operator?.name === 'not') return logical(node, text, depth)
      if (operator === undefined || operand === undefined) return opaque
      return { ...span, kind: 'unary', operator: text.slice(operator.from, operator.to), operand: inner(operand) }
    }
    case 'ConditionalExpression': {
      const [whenTrue, condition, whenFalse] = parts(node)
      if (whenTrue === undefined || condition === undefined || whenFalse === undefined) return opaque
      return {
        ...span,
        kind: 'conditional',
        condition: inner(condition),
        whenTrue: inner(whenTrue),
        whenFalse: inner(whenFalse),
      }
    }
    case 'LambdaExpression': {
      const [first, second] = parts(node).filter(({ name }) => name !== 'lambda')
      const hasParameters = first?.name === 'ParamList' && parts(first).length > 0
      const body = first?.name === 'ParamList' ? second : first
      return hasParameters || body === undefined ? opaque : { ...span, kind: 'lambda', body: inner(body) }
    }
    case 'ArrayComprehensionExpression': {
      const [item, , name, , of, , condition, end] = children(node).slice(1)
      if (item === undefined || name === undefined || of === undefined) return opaque
      const written = (each: SyntaxNode | undefined) => each && text.slice(each.from, each.to)
      // `[name.strip() for name in names.split(',') if name]`: the readers of names leave out blanks and empty ones too.
      const stripped = `${written(name)}.strip()`
      const isWhole = condition === undefined || [written(name), stripped].includes(written(condition))
      if ([written(name), stripped].includes(written(item)) && isWhole) return inner(of)
      if (condition === undefined) return opaque
      const [left, operator] = children(condition)
      const names = [item, name, left].map(written)
      const isKept = end?.name === ']' && operator?.name === 'in' && item.name === 'VariableName'
      return isKept && new Set(names).size === 1 ? { ...span, kind: 'kept', of: inner(of) } : opaque
    }
    case 'DictionaryComprehensionExpression':
      return keptEntries(node, text, depth) ?? opaque
    case 'AwaitExpression': {
      const [only] = parts(node)
      return only === undefined ? opaque : inner(only)
    }
    default:
      return opaque
  }
}

/** `{k: v for k, v in options.items() if k in known}`; without those that are None, which say nothing, it is what it was. */
function keptEntries(node: SyntaxNode, text: string, depth: number): Expression | undefined {
  const [key, , value, , name, , entry, , of, , condition, end] = children(node).slice(1)
  if (key === undefined || value === undefined || of === undefined || condition === undefined) return undefined
  const written = (each: SyntaxNode | undefined) => each && text.slice(each.from, each.to)
  const isSame = written(key) === written(name) && written(value) === written(entry) && key.name === 'VariableName'
  const items = expressionOf(of, text, depth + 1)
  if (items.kind !== 'call' || items.callee.kind !== 'attribute' || items.callee.name !== 'items') return undefined
  if (!isSame || end?.name !== '}') return undefined
  const { object } = items.callee
  if (written(condition) === `${written(value)} is not None`) return object
  const [left, operator] = children(condition)
  const isKept = written(left) === written(key) && operator?.name === 'in'
  return isKept ? { from: node.from, to: node.to, kind: 'kept', of: object } : undefined
}

/** The values between the brackets of a call, a class or a decorator. */
export function argumentsIn(list: SyntaxNode, text: string, depth = 0): readonly Argument[] {
  const found: Argument[] = []
  const nodes = children(list)
  for (let index = 0; index < nodes.length && found.length < MAX_ITEMS; index++) {
    const node = nodes[index]!
    if (isPunctuation(node)) continue
    const [next, value] = [nodes[index + 1], nodes[index + 2]]
    if (node.name === '**' && next !== undefined) {
      found.push({ kind: 'unpacked', value: expressionOf(next, text, depth + 1) })
      index += 1
    } else if (node.name === '*') {
      found.push({ kind: 'spread' })
      index += 1
    } else if (node.name === 'VariableName' && next?.name === 'AssignOp') {
      const name = text.slice(node.from, node.to)
      const isWritten = value !== undefined && !isPunctuation(value)
      found.push({ kind: 'keyword', name, value: isWritten ? expressionOf(value, text, depth + 1) : nothingAt(next) })
      if (isWritten) index += 2
    } else if (!node.type.isError) found.push({ kind: 'positional', value: expressionOf(node, text, depth + 1) })
  }
  return found
}

/** As a call of it names it: `transformers.TrainingArguments`. Undefined for what is no chain of names. */
export function dottedName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name
  if (expression.kind !== 'attribute') return undefined
  const object = dottedName(expression.object)
  return object && `${object}.${expression.name}`
}

export function children(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}

/** The children that are expressions. */
function parts(node: SyntaxNode): readonly SyntaxNode[] {
  return children(node).filter(child => !isPunctuation(child) && !keywords.has(child.name) && !child.type.isError)
}

const keywords = new Set([
  'if',
  'else',
  'await',
  'in',
  'is',
  'not',
  'and',
  'or',
  'for',
  '*',
  '**',
  'Comment',
  'CompareOp',
])

function isPunctuation({ name }: SyntaxNode): boolean {
  return /^(?:[()[\]{},:;.]|Comment)$/.test(name)
}

function nothingAt({ to }: Span): Expression {
  return { from: to, to, kind: 'opaque' }
}

function numberOf(source: string, span: Span): Expression | undefined {
  const number = Number(source.replaceAll('_', ''))
  return Number.isNaN(number) ? undefined : { ...span, kind: 'number', number }
}

function formatted(node: SyntaxNode, text: string, depth: number): Expression {
  const found: Expression[] = []
  const opening = /^[A-Za-z]*(?:"""|'''|"|')/.exec(text.slice(node.from, node.from + 8))?.[0].length ?? 1
  const closing = /"""$|'''$/.test(text.slice(node.from, node.to)) && opening > 3 ? 3 : 1
  let from = node.from + opening
  const literal = (to: number) => {
    if (to > from)
      found.push({ from, to, kind: 'text', text: text.slice(from, to).replaceAll('{{', '{').replaceAll('}}', '}') })
  }
  for (const child of children(node)) {
    if (child.name !== 'FormatReplacement') continue
    literal(child.from)
    const [value, ...format] = parts(child)
    const isPlain = value !== undefined && format.length === 0
    found.push(isPlain ? expressionOf(value, text, depth + 1) : { from: child.from, to: child.to, kind: 'opaque' })
    from = child.to
  }
  literal(node.to - closing)
  return { from: node.from, to: node.to, kind: 'joined', parts: found }
}

function memberOf(node: SyntaxNode, text: string, depth: number): Expression | undefined {
  const [object, ...rest] = children(node)
  if (object === undefined) return undefined
  const span = { from: node.from, to: node.to }
  const property = rest.find(({ name }) => name === 'PropertyName')
  if (property !== undefined) {
    const name = text.slice(property.from, property.to)
    return { ...span, kind: 'attribute', object: expressionOf(object, text, depth + 1), name }
  }
  // A slice has a colon between its ends.
  if (rest.some(({ name }) => name === ':' || name === ',')) return undefined
  const index = rest.find(child => !isPunctuation(child))
  if (index === undefined) return undefined
  const at = expressionOf(index, text, depth + 1)
  return { ...span, kind: 'subscript', object: expressionOf(object, text, depth + 1), index: at }
}

/** Whether it is `and` or `or` that a node joins two sides by. */
function joins(node: SyntaxNode): boolean {
  return node.name === 'BinaryExpression' && children(node).some(({ name }) => name === 'and' || name === 'or')
}

/** Lezer's grammar has `not a or b` as `not (a or b)`: the sides are put together anew, as Python binds them. */
function logical(node: SyntaxNode, text: string, depth: number): Expression {
  const { sides, operators } = sidesOf(node, text, depth)
  const joined = (from: number, to: number, operator: 'and' | 'or'): Expression => {
    const at = operators.slice(from, to).lastIndexOf(operator)
    if (at < 0) return operator === 'or' ? joined(from, to, 'and') : sides[from]!
    const [left, right] = [joined(from, from + at, operator), joined(from + at + 1, to, operator)]
    return { from: left.from, to: right.to, kind: 'binary', operator, left, right }
  }
  return joined(0, operators.length, 'or')
}

interface Sides {
  readonly sides: readonly Expression[]
  /** One less than there are sides. */
  readonly operators: readonly string[]
}

function sidesOf(node: SyntaxNode, text: string, depth: number): Sides {
  const all = children(node).filter(({ name }) => name !== 'Comment')
  const last = all.at(-1)
  if (depth > MAX_DEPTH || last === undefined) return { sides: [expressionOf(node, text, depth + 1)], operators: [] }
  if (node.name === 'UnaryExpression' && all[0]?.name === 'not' && last !== all[0]) {
    const { sides, operators } = sidesOf(last, text, depth + 1)
    const [first, ...others] = sides
    if (first === undefined) return { sides, operators }
    const negated: Expression = { from: node.from, to: first.to, kind: 'unary', operator: 'not', operand: first }
    return { sides: [negated, ...others], operators }
  }
  const [left, operator] = all
  if (!joins(node) || left === undefined || operator === undefined || all.length !== 3)
    return { sides: [joins(node) ? nothingAt(node) : expressionOf(node, text, depth + 1)], operators: [] }
  const [before, after] = [sidesOf(left, text, depth + 1), sidesOf(last, text, depth + 1)]
  return {
    sides: [...before.sides, ...after.sides],
    operators: [...before.operators, operator.name, ...after.operators],
  }
}

function binaryOf(node: SyntaxNode, text: string, depth: number): Expression | undefined {
  const all = children(node).filter(({ name }) => name !== 'Comment')
  const [left, right] = [all[0], all.at(-1)]
  if (left === undefined || right === undefined || all.length < 3) return undefined
  const operator = all
    .slice(1, -1)
    .map(({ from, to }) => text.slice(from, to))
    .join(' ')
  return {
    from: node.from,
    to: node.to,
    kind: 'binary',
    operator,
    left: expressionOf(left, text, depth + 1),
    right: expressionOf(right, text, depth + 1),
  }
}

function entriesIn(node: SyntaxNode, text: string, depth: number): readonly Entry[] {
  const entries: Entry[] = []
  let key: SyntaxNode | undefined
  let isUnpacked = false
  for (const child of children(node)) {
    if (entries.length >= MAX_ITEMS) break
    if (child.name === '**') isUnpacked = true
    if (child.name === '**' || isPunctuation(child) || child.type.isError) continue
    if (isUnpacked) entries.push({ value: expressionOf(child, text, depth + 1) })
    else if (key === undefined) {
      key = child
      continue
    } else entries.push({ key: expressionOf(key, text, depth + 1), value: expressionOf(child, text, depth + 1) })
    key = undefined
    isUnpacked = false
  }
  return entries
}
