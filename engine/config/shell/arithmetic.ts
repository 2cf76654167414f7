/** `$((GLOBAL_BATCH / (BATCH * GPUS)))`, in whole numbers as the shell computes it. */
import type { ArithmeticCommandExpansion, ArithmeticExpression, ArithmeticWord } from 'unbash'

const MAX_DEPTH = 50

/** What stands in a sum for a number. */
export type Operand = ArithmeticWord | ArithmeticCommandExpansion

/** Undefined where `numberOf` does not know an operand, and for what assigns or compares. */
export function arithmetic(
  expression: ArithmeticExpression,
  numberOf: (operand: Operand) => number | undefined,
  depth = 0,
): number | undefined {
  const inner = (each: ArithmeticExpression) => (depth < MAX_DEPTH ? arithmetic(each, numberOf, depth + 1) : undefined)
  switch (expression.type) {
    case 'ArithmeticWord':
    case 'ArithmeticCommandExpansion':
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
