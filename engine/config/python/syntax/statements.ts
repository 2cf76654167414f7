/** What single statements say: the branches of an `if`, the handlers of a `try`, the names of an import, a function's parameters. */
import type { SyntaxNode } from '@lezer/common'
import { children, type Expression, expressionOf } from './expressions.ts'
import type { Branch, Parameter } from './module.ts'

/** Of a chain of `elif`, as many as are held against a branch further down. */
const MAX_TESTS = 20

/** By where their bodies begin; without the one that runs when the file is run. */
export function branchesOf(statement: SyntaxNode, text: string): ReadonlyMap<number, Branch> {
  const found = new Map<number, Branch>()
  const failed: { condition: Expression; expected: boolean }[] = []
  let test: Expression | undefined
  for (const child of children(statement)) {
    if (child.name !== 'Body') {
      if (!/^(?:if|elif|else|Comment)$/.test(child.name)) test = expressionOf(child, text)
      continue
    }
    const isMain = test !== undefined && /^__name__\s*==/.test(text.slice(test.from, test.to))
    const own = test === undefined ? [] : [{ condition: test, expected: true }]
    const tests = [...failed.slice(0, MAX_TESTS), ...own]
    if (!isMain) found.set(child.from, { statement: statement.from, index: found.size, tests, isHandler: false })
    if (test !== undefined) failed.push({ condition: test, expected: false })
    test = undefined
  }
  return found
}

/** Of a `match`, by where their bodies begin. Literals are held against what is matched; whether another pattern fits, run time tells. */
export function casesOf(statement: SyntaxNode, text: string): ReadonlyMap<number, Branch> {
  const found = new Map<number, Branch>()
  const failed: { condition: Expression; expected: boolean }[] = []
  const matched = statement.getChild('match')?.nextSibling
  const subject = matched && expressionOf(matched, text)
  if (!subject) return found
  for (const clause of statement.getChild('MatchBody')?.getChildren('MatchClause') ?? []) {
    const body = clause.getChild('Body')
    const pattern = clause.getChild('case')?.nextSibling
    if (!body || !pattern) continue
    const { from, to } = pattern
    const guard = clause.getChild('Guard')
    const condition = guard ? ({ from, to, kind: 'opaque' } as const) : fits(pattern, subject, text)
    const own = condition === undefined ? [] : [{ condition, expected: true }]
    const tests = [...failed.slice(0, MAX_TESTS), ...own]
    found.set(body.from, { statement: statement.from, index: found.size, tests, isHandler: false })
    if (condition !== undefined) failed.push({ condition, expected: false })
  }
  return found
}

/** Undefined for a pattern that takes everything. */
function fits(pattern: SyntaxNode, left: Expression, text: string): Expression | undefined {
  const { name, from, to, firstChild } = pattern
  if (name === 'CapturePattern') return undefined
  if (name === 'LiteralPattern' && firstChild !== null)
    return { from, to, kind: 'binary', operator: '==', left, right: expressionOf(firstChild, text) }
  if (name !== 'OrPattern') return { from, to, kind: 'opaque' }
  const [first, ...others] = pattern.getChildren('LiteralPattern').map(each => fits(each, left, text)!)
  const isWhole = children(pattern).every(each => /^(?:LiteralPattern|LogicOp)$/.test(each.name))
  if (first === undefined || !isWhole) return { from, to, kind: 'opaque' }
  return others.reduce((one, other) => ({ from, to, kind: 'binary', operator: 'or', left: one, right: other }), first)
}

export function handlerBranch(statement: SyntaxNode, body: number): Branch | undefined {
  let part = ''
  for (const child of children(statement)) {
    if (/^(?:try|except|else|finally)$/.test(child.name)) part = child.name
    if (child.name !== 'Body' || child.from !== body) continue
    return part === 'except' ? { statement: statement.from, index: 1, tests: [], isHandler: true } : undefined
  }
  return undefined
}

/** Whether a loop is around it, in its function. */
export function isRepeated(node: SyntaxNode): boolean {
  for (let around = node.parent; around !== null; around = around.parent) {
    if (/^(?:For|While)Statement$|Comprehension/.test(around.name)) return true
    if (/^(?:Function|Class)Definition$|^Lambda/.test(around.name)) return false
  }
  return false
}

export interface ImportedName {
  /** That it binds. */
  readonly name: string
  readonly from: string
  /** Undefined for a whole module. */
  readonly member: string | undefined
}

export function importsIn(node: SyntaxNode, text: string): readonly ImportedName[] {
  const statement = text
    .slice(node.from, node.to)
    .replace(/#.*$/gm, '')
    .replace(/[\\()\s]+/g, ' ')
  const [, from, names = ''] = /^\s*from ([\w. ]+?) import ([\s\S]*)$/.exec(statement) ?? []
  const imported = from === undefined ? statement.replace(/^\s*import /, '') : names
  return imported.split(',').flatMap((each): readonly ImportedName[] => {
    const [, name, alias] = /^\s*([\w.*]+)(?: as (\w+))?\s*(?:;\s*)?$/.exec(each) ?? []
    if (name === undefined) return []
    if (from !== undefined) return [{ name: alias ?? name, from: from.replaceAll(' ', ''), member: name }]
    const [first = ''] = name.split('.')
    return [{ name: alias ?? first, from: alias === undefined ? first : name, member: undefined }]
  })
}

export interface Parameters {
  readonly parameters: readonly Parameter[]
  /** `**kwargs` */
  readonly rest: Parameter | undefined
}

export function parametersIn(list: SyntaxNode, text: string): Parameters {
  const found: Parameter[] = []
  let rest: Parameter | undefined
  const nodes = children(list)
  for (const [index, node] of nodes.entries()) {
    const before = nodes[index - 1]?.name
    if (node.name !== 'VariableName' || before === 'AssignOp' || before === '*') continue
    if (before === '**') {
      rest = { name: text.slice(node.from, node.to), byDefault: undefined, at: node.from }
      continue
    }
    const next = nodes.slice(index + 1, index + 4)
    const comma = next.findIndex(({ name }) => name === ',' || name === ')')
    const own = comma < 0 ? next : next.slice(0, comma)
    const operator = own.findIndex(({ name }) => name === 'AssignOp')
    const value = operator < 0 ? undefined : nodes[index + 1 + operator + 1]
    const byDefault = value && expressionOf(value, text)
    found.push({ name: text.slice(node.from, node.to), byDefault, at: node.from })
  }
  return { parameters: found, rest }
}
