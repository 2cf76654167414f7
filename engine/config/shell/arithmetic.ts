/** `$((GLOBAL_BATCH / (BATCH * GPUS)))`, in whole numbers as the shell computes it. */
import type { ArithmeticExpression, ArithmeticWord } from 'unbash'

const MAX_DEPTH = 50

/** Undefined where `numberOf` does not know a word, and for what assigns, compares or asks a command. */
export function arithmetic(
  expression: ArithmeticExpression,
  numberOf: (word: ArithmeticWord) => number | undefined,
  depth = 0,
): number | undefined {
  const inner = (each: ArithmeticExpression) => (depth < MAX_DEPTH ? arithmetic(each, numberOf, depth + 1) : undefined)
  switch (expression.type) {
    case 'ArithmeticWord':
      return numberOf(expression)
    case 'ArithmeticGroup':
      return inner(expression.expression)
    case 'ArithmeticBinary': {
      const [left, right] = [inner(expression.left), inner(expression.right)]
      if (left === undefined || right === undefined) return undefined
      const result = operators[expression.operator]?.(left, right)
      return Number.isSafeInteger(result) ? result : undefined
    }
    default:
      return undefined
  }
}

const operators: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => Math.trunc(left / right),
  '%': (left, right) => left % right,
}
