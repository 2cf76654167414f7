/** Operators of Python on values that are known. */
import { takesParameter } from './signatures.ts'
import { areEqual, type Located, madeOfOpen, truthOf, type Value } from './values.ts'

type Unknown = () => Value

const MAX_TEXT = 2_000

/** The parts of an f-string. */
export function joinedText(parts: readonly Value[], located: Located, unknown: Unknown): Value {
  let text = ''
  for (const part of parts) {
    if (part.kind === 'open') return madeOfOpen(part)
    const written = writtenText(part)
    if (written === undefined || text.length > MAX_TEXT) return unknown()
    text += written
  }
  return { ...located, remarks: remarksOf(parts), kind: 'text', text }
}

/** As `str` gives it. */
export function writtenText(value: Value): string | undefined {
  if (value.kind === 'text') return value.text
  if (value.kind === 'number' && Number.isInteger(value.number)) return String(value.number)
  return undefined
}

export function unaryValue(operator: string, operand: Value, located: Located): Value {
  if (operand.kind === 'open' && !(operand.isUnset && operator === 'not')) return madeOfOpen(operand)
  if (operator === 'not') {
    const truth = truthOf(operand)
    return truth === undefined
      ? { ...operand, kind: 'open', why: 'it depends on run time' }
      : flag(!truth, located, [operand])
  }
  if (operand.kind !== 'number' || (operator !== '-' && operator !== '+'))
    return { ...operand, kind: 'open', why: 'it is computed' }
  return {
    ...located,
    remarks: operand.remarks,
    kind: 'number',
    number: operator === '-' ? -operand.number : operand.number,
  }
}

export function binaryValue(
  operator: string,
  left: Value,
  rightOf: () => Value,
  located: Located,
  unknown: Unknown,
): Value {
  if (operator === 'and' || operator === 'or') {
    const truth = truthOf(left)
    const right = rightOf()
    if (truth !== undefined) return truth === (operator === 'and') ? right : left
    // Whatever the left side is, the right one decides.
    return truthOf(right) === (operator === 'or') ? flag(operator === 'or', located, [right]) : asOpen(left, unknown)
  }
  const right = rightOf()
  if (left.kind === 'open' && left.isUnset && right.kind !== 'open' && /^(?:==|!=|is|is not)$/.test(operator))
    return flag((right.kind === 'none') === /^(?:==|is)$/.test(operator), located, [left])
  if (left.kind === 'open') return madeOfOpen(left)
  if (right.kind === 'open') return madeOfOpen(right)
  if (left.kind === 'number' && right.kind === 'number') {
    // Whole, it stays as it is written elsewhere.
    if (operator === '//' && right.number === 1 && Number.isInteger(left.number))
      return { ...left, remarks: remarksOf([left, right]) }
    const number = arithmetic[operator]?.(left.number, right.number)
    if (number !== undefined && Number.isFinite(number))
      return { ...located, remarks: remarksOf([left, right]), kind: 'number', number }
    const truth = comparisons[operator]?.(left.number, right.number)
    if (truth !== undefined) return flag(truth, located, [left, right])
  }
  if (
    operator === '+' &&
    left.kind === 'text' &&
    right.kind === 'text' &&
    left.text.length + right.text.length <= MAX_TEXT
  )
    return { ...located, remarks: remarksOf([left, right]), kind: 'text', text: left.text + right.text }
  if (operator === '+' && left.kind === 'list' && right.kind === 'list')
    return { ...located, remarks: [], kind: 'list', items: [...left.items, ...right.items].slice(0, MAX_TEXT) }
  if (operator === '|' && left.kind === 'mapping' && right.kind === 'mapping')
    return { ...left, ...located, entries: new Map([...left.entries, ...right.entries]) }
  if (operator === '/' && left.kind !== 'number') return pathOf(left, right, located, unknown)
  return compared(operator, left, right, located) ?? unknown()
}

function compared(operator: string, left: Value, right: Value, located: Located): Value | undefined {
  const isNegated = operator === '!=' || operator === 'is not' || operator === 'not in'
  if (/^(?:==|!=|is|is not)$/.test(operator)) {
    const equal = areEqual(left, right)
    return equal === undefined ? undefined : flag(equal !== isNegated, located, [left, right])
  }
  if (operator !== 'in' && operator !== 'not in') return undefined
  const isIn = contains(right, left)
  return isIn === undefined ? undefined : flag(isIn !== isNegated, located, [left, right])
}

function contains(container: Value, item: Value): boolean | undefined {
  const isOfLibrary = container.kind === 'symbol' || container.kind === 'call'
  if (isOfLibrary && item.kind === 'text') return takesParameter(container.name, item.text)
  if (container.kind === 'text' && item.kind === 'text') return container.text.includes(item.text)
  if (container.kind === 'mapping' && item.kind === 'text' && container.unknown === undefined)
    return container.entries.has(item.text)
  if (container.kind !== 'list') return undefined
  const answers = container.items.map(each => areEqual(each, item))
  if (answers.includes(true)) return true
  return answers.includes(undefined) ? undefined : false
}

/** pathlib's slash. */
function pathOf(left: Value, right: Value, located: Located, unknown: Unknown): Value {
  if (left.kind !== 'text' || right.kind !== 'text') return unknown()
  return { ...located, remarks: [], kind: 'text', text: `${left.text}/${right.text}`.slice(0, MAX_TEXT) }
}

const arithmetic: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '//': (left, right) => Math.floor(left / right),
  '%': (left, right) => left - right * Math.floor(left / right),
  '**': (left, right) => left ** right,
}

const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
}

function flag(value: boolean, located: Located, from: readonly Value[]): Value {
  return { ...located, remarks: remarksOf(from), kind: 'flag', flag: value }
}

function remarksOf(values: readonly Value[]): readonly string[] {
  return values.flatMap(({ remarks }) => remarks)
}

function asOpen(value: Value, unknown: Unknown): Value {
  return value.kind === 'open' ? value : unknown()
}
