/** Whether the condition of an `if` holds, where what the file itself sets tells it. Nothing is run. */
import type { Command, CommandNode, CompoundList, Statement, TestExpression, Word } from 'unbash'
import { type Given, remarksOf } from './given.ts'
import type { Environment } from './words.ts'

export interface Truth {
  readonly holds: boolean
  /** Of the defaults that it hangs on, one sentence each. */
  readonly remarks: readonly string[]
}

const MAX_DEPTH = 20

/** Undefined for what only a run can tell. */
export function truthOf({ commands }: CompoundList, environment: Environment): Truth | undefined {
  const [only, ...others] = commands
  if (only === undefined || others.length > 0) return undefined
  return truthOfTest(only.command, environment)
}

type Tested = CommandNode | Statement['command']

/** `[[ … ]]`, `[ … ]` and `test …`; of any other command it is not known whether it succeeds. */
export function isTest(command: Tested): boolean {
  return command.type === 'TestCommand' || (command.type === 'Command' && isBracket.test(command.name?.value ?? ''))
}

const isBracket = /^(?:\[|test)$/

export function truthOfTest(command: Tested, environment: Environment): Truth | undefined {
  if (command.type === 'TestCommand') return ofExpression(command.expression, environment, 0)
  return command.type === 'Command' ? ofBrackets(command, environment) : undefined
}

function ofExpression(expression: TestExpression, environment: Environment, depth: number): Truth | undefined {
  if (depth > MAX_DEPTH) return undefined
  const value = (word: Word) => environment.joined(word)
  switch (expression.type) {
    case 'TestUnary':
      return ofUnary(expression.operator, value(expression.operand))
    case 'TestBinary':
      return ofBinary(expression.operator, value(expression.left), value(expression.right))
    case 'TestGroup':
      return ofExpression(expression.expression, environment, depth + 1)
    case 'TestNot': {
      const inner = ofExpression(expression.operand, environment, depth + 1)
      return inner && (expression.negations.length % 2 === 1 ? { ...inner, holds: !inner.holds } : inner)
    }
    case 'TestLogical': {
      const truths = expression.operands.map(each => ofExpression(each, environment, depth + 1))
      const decides = expression.operator === '||'
      const deciding = truths.find(truth => truth?.holds === decides)
      if (deciding !== undefined) return deciding
      if (truths.some(truth => truth === undefined)) return undefined
      return { holds: !decides, remarks: remarksOf(truths.flatMap(truth => truth ?? [])) }
    }
  }
}

/** `[ "$X" = 1 ]`, `test -n "$X"` */
function ofBrackets({ name, suffix, prefix }: Command, environment: Environment): Truth | undefined {
  if (name === undefined || prefix.length > 0 || !isBracket.test(name.value)) return undefined
  const words = suffix.flatMap(each => (each.type === 'Word' ? [environment.joined(each)] : []))
  if (words.length !== suffix.length) return undefined
  const operands = words.at(-1)?.text === ']' ? words.slice(0, -1) : words
  const [first, second, third] = operands
  if (first === undefined || second === undefined || operands.length > 3) return undefined
  return third === undefined ? ofUnary(first.text, second) : ofBinary(second.text, first, third)
}

/** `[ -z "$BATCH" ] && BATCH=16`: what the file sets nowhere before has that default. */
function ofUnary(operator: string, operand: Given): Truth | undefined {
  if (operand.isNowhereSet && operand.valueFrom === undefined && operator === '-z') {
    const remark = `${operand.text} is taken not to be set, which the environment may do: ${operand.why}.`
    return { holds: true, remarks: [remark] }
  }
  if (operand.why !== undefined || !/^-[nz]$/.test(operator)) return undefined
  return { holds: (operand.text === '') === (operator === '-z'), remarks: operand.remarks }
}

const comparisons: ReadonlyMap<string, (left: number, right: number) => boolean> = new Map([
  ['-eq', (left, right) => left === right],
  ['-ne', (left, right) => left !== right],
  ['-gt', (left, right) => left > right],
  ['-ge', (left, right) => left >= right],
  ['-lt', (left, right) => left < right],
  ['-le', (left, right) => left <= right],
])

function ofBinary(operator: string, left: Given, right: Given): Truth | undefined {
  if (left.why !== undefined || right.why !== undefined) return undefined
  const remarks = remarksOf([left, right])
  const compare = comparisons.get(operator)
  if (compare !== undefined) {
    const isCount = ({ text }: Given) => /^-?\d{1,15}$/.test(text)
    return isCount(left) && isCount(right)
      ? { holds: compare(Number(left.text), Number(right.text)), remarks }
      : undefined
  }
  // A pattern matches more than itself.
  if (!/^(?:==?|!=)$/.test(operator) || /[*?[]/.test(right.text)) return undefined
  return { holds: (left.text === right.text) === (operator !== '!='), remarks }
}
