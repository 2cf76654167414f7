/** Parameters of a model that a statement of a script reaches, through the loops around it: of a slice of layers, or by name. */
import type { SyntaxNode } from '@lezer/common'
import { children, type Expression, expressionOf } from '../syntax/expressions.ts'
import type { Branch, Module, Place } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type Site, truthOf } from '../values/values.ts'
import { isChild, type Selection } from './parameter-names.ts'

/** From the model to a module of it, as the script writes it; undefined for what is none of the model's. */
export type PathTo = (part: Expression) => string | undefined

export interface Reaching extends Place {
  readonly module: Module
  readonly site: Site
  /** `parameter.requires_grad`, or the call of `requires_grad_`. */
  readonly node: SyntaxNode
  /** What it is done to. */
  readonly of: Expression
  /** Where it comes to true, if that is no constant. */
  readonly value: Expression | undefined
}

export interface Reached {
  readonly selections: readonly Selection[]
  /** The same where `value` comes to true, and where to false. */
  readonly byValue?: { readonly whenTrue: readonly Selection[]; readonly whenFalse: readonly Selection[] }
  /** The branches around the outermost loop. */
  readonly branches: readonly Branch[]
}

/** A parameter that a loop goes over: its name, and the number of the layer that it is in. */
interface Visited {
  readonly name: string
  readonly number: number
}
type Test = (visited: Visited) => boolean
type InRange = (number: number, count: number) => boolean

/** What the variables of the loops stand for. */
interface Variables {
  readonly parts: Map<string, readonly Selection[]>
  /** Numbers of layers. */
  readonly numbers: Map<string, InRange>
  /** Names of parameters. */
  readonly names: Set<string>
}

export function reachedBy(statement: Reaching, pathTo: PathTo, evaluator: Evaluator): Reached | undefined {
  const { module, node, of, value, branches } = statement
  const loops = loopsAround(node)
  if (loops === undefined || loops.some(loop => /\b(?:continue|break|return|while)\b/.test(textOf(loop, module))))
    return undefined
  const reader = new LoopReader(statement, pathTo, evaluator)
  const outermost = loops.at(-1)
  let parameters: readonly Selection[] | undefined
  for (const loop of loops.toReversed()) {
    const [target, over] = headOf(loop)
    if (target === undefined || over === undefined) return undefined
    const isInner = loop === loops[0]
    const found = isInner && of.kind === 'name' ? reader.parameters(target, over, of.name) : undefined
    if (found !== undefined) parameters = found
    else if (!reader.bind(target, over)) return undefined
  }
  const isCall = node.name === 'CallExpression'
  const whole = parameters ?? (isCall || loops.length === 0 ? reader.parts(of, node) : undefined)
  if (whole === undefined || (!isCall && parameters === undefined)) return undefined
  const isWithin = ({ statement: at }: Branch) => outermost !== undefined && at >= outermost.from
  const tests = branches
    .filter(isWithin)
    .flatMap(branch => branch.tests.map(each => reader.test(each.condition, each.expected)))
  const known = tests.filter(each => each !== undefined)
  if (known.length < tests.length) return undefined
  // What depends on a number that counts no layers, such as that of an epoch, changes while the training runs.
  const countsLayers = whole.every(({ layers }) => layers !== undefined)
  if (tests.length > 0 && reader.variables.names.size === 0 && !countsLayers) return undefined
  const where = (...all: readonly Test[]) => whole.map(selection => narrowed(selection, all, reader.variables))
  const around = branches.filter(branch => !isWithin(branch))
  if (value === undefined) return { selections: where(...known), branches: around }
  const [whenTrue, whenFalse] = [reader.test(value, true), reader.test(value, false)]
  if (whenTrue === undefined || whenFalse === undefined) return undefined
  const byValue = { whenTrue: where(...known, whenTrue), whenFalse: where(...known, whenFalse) }
  return { selections: [], byValue, branches: around }
}

/** Innermost first, with nothing but conditions between them; undefined within a `with`, a `try` or a `while`. */
export function loopsAround(node: SyntaxNode): readonly SyntaxNode[] | undefined {
  const loops: SyntaxNode[] = []
  for (let above = node.parent; above !== null; above = above.parent) {
    if (/^(?:Script|FunctionDefinition)$/.test(above.name)) return loops
    if (above.name === 'ForStatement') loops.push(above)
    else if (!/^(?:Body|IfStatement|ExpressionStatement|AssignStatement)$/.test(above.name)) return undefined
  }
  return loops
}

/** `for TARGET in OVER` */
function headOf(loop: SyntaxNode): readonly [target: readonly SyntaxNode[] | undefined, over: SyntaxNode | undefined] {
  const parts = children(loop)
  const at = parts.findIndex(({ name }) => name === 'in')
  const target = parts.slice(1, at).filter(({ name }) => name !== ',')
  const names = target.flatMap(each => (each.name === 'TupleExpression' ? children(each).filter(isName) : [each]))
  return [at > 0 && names.every(isName) ? names : undefined, parts[at + 1]]
}

function isName({ name }: SyntaxNode): boolean {
  return name === 'VariableName'
}

function textOf({ from, to }: SyntaxNode, { text }: Module): string {
  return text.slice(from, to)
}

/** With what the tests say of a parameter's name, or of the number of its layer. */
function narrowed(selection: Selection, tests: readonly Test[], { names }: Variables): Selection {
  const { layers } = selection
  const all = (visited: Visited) => tests.every(test => test(visited))
  if (tests.length === 0) return selection
  if (names.size > 0) return { ...selection, holds: name => all({ name, number: Number.NaN }) }
  return { ...selection, layers: (number, count) => layers?.(number, count) === true && all({ name: '', number }) }
}

class LoopReader {
  readonly variables: Variables = { parts: new Map(), numbers: new Map(), names: new Set() }
  readonly #statement: Reaching
  readonly #pathTo: PathTo
  readonly #evaluator: Evaluator

  constructor(statement: Reaching, pathTo: PathTo, evaluator: Evaluator) {
    this.#statement = statement
    this.#pathTo = pathTo
    this.#evaluator = evaluator
  }

  /** Those that a loop goes over, one by one as `variable`: `for name, p in model.named_parameters()`. */
  parameters(target: readonly SyntaxNode[], over: SyntaxNode, variable: string): readonly Selection[] | undefined {
    const names = target.map(each => this.#text(each))
    const written = unlisted(this.#expression(over))
    if (written.kind !== 'call' || written.arguments.length > 0 || written.callee.kind !== 'attribute') return undefined
    if (names.at(-1) !== variable || written.callee.name !== ['parameters', 'named_parameters'][names.length - 1])
      return undefined
    const [name] = names
    if (names.length === 2 && name !== undefined) this.variables.names.add(name)
    return this.parts(written.callee.object, nodeAt(over, written.callee.object))
  }

  /** Whether it is known what a loop over modules, or over numbers, goes over. */
  bind(target: readonly SyntaxNode[], over: SyntaxNode): boolean {
    const [first, second, ...others] = target.map(each => this.#text(each))
    const written = unlisted(this.#expression(over))
    if (first === undefined || others.length > 0) return false
    const called = written.kind === 'call' && written.callee.kind === 'name' ? written.callee.name : undefined
    if (second !== undefined) {
      const [only] = written.kind === 'call' && called === 'enumerate' ? written.arguments : []
      const parts = only?.kind === 'positional' ? this.parts(only.value, nodeAt(over, only.value)) : undefined
      const [part, ...more] = parts ?? []
      if (part === undefined || more.length > 0 || part.layers !== undefined) return false
      this.variables.numbers.set(first, () => true)
      this.variables.parts.set(second, [{ ...part, layers: () => true }])
      return true
    }
    if (written.kind === 'call' && called === 'range') {
      const ends = written.arguments.map(each => (each.kind === 'positional' ? this.#number(each.value) : undefined))
      const [from, to] = ends.length === 1 ? [0, ends[0]] : ends
      if (from === undefined || to === undefined || ends.length > 2) return false
      this.variables.numbers.set(first, number => number >= from && number < to)
      return true
    }
    const parts = this.parts(written, nodeAt(over, written))
    if (parts === undefined) return false
    // What a loop goes over is layers, where it is no list of modules.
    const isList = written.kind === 'list' || parts.every(({ layers }) => layers !== undefined)
    this.variables.parts.set(first, isList ? parts : parts.map(part => ({ ...part, layers: () => true })))
    return true
  }

  parts(written: Expression, node: SyntaxNode | undefined): readonly Selection[] | undefined {
    if (written.kind === 'name') {
      const bound = this.variables.parts.get(written.name)
      if (bound !== undefined) return bound
    }
    if (written.kind === 'attribute') {
      const below = this.#bound(written.object)
      if (below !== undefined) return below.map(part => inside(part, written.name))
    }
    if (written.kind === 'subscript') return this.#child(written.object, written.index)
    if (node?.name === 'MemberExpression' && written.kind === 'opaque') return this.#slice(node)
    if (node?.name === 'ArrayExpression' || node?.name === 'TupleExpression') return this.#listed(node)
    const path = this.#pathTo(written)
    return path === undefined ? undefined : [{ path }]
  }

  /** Of an expression that begins at a variable of a loop, or has an index in it. */
  #bound(written: Expression): readonly Selection[] | undefined {
    if (written.kind === 'name') return this.variables.parts.get(written.name)
    if (written.kind === 'subscript') return this.#child(written.object, written.index)
    if (written.kind !== 'attribute') return undefined
    return this.#bound(written.object)?.map(part => inside(part, written.name))
  }

  /** `encoder.layer[11]`, `encoder.layer[index]` */
  #child(object: Expression, index: Expression): readonly Selection[] | undefined {
    const path = this.#pathTo(object)
    if (path === undefined) return undefined
    const bound = index.kind === 'name' ? this.variables.numbers.get(index.name) : undefined
    if (bound !== undefined) return [{ path, layers: bound }]
    const at = this.#number(index)
    return at === undefined ? undefined : [{ path, layers: isChild(at) }]
  }

  /** `encoder.layer[:8]` */
  #slice(node: SyntaxNode): readonly Selection[] | undefined {
    const [object, opening, ...rest] = children(node)
    const colon = rest.findIndex(({ name }) => name === ':')
    const inner = rest.slice(0, -1)
    if (object === undefined || opening?.name !== '[' || colon < 0 || inner.length > 3) return undefined
    const path = this.#pathTo(this.#expression(object))
    const [before, after] = [inner.slice(0, colon), inner.slice(colon + 1)]
    if (path === undefined || before.length > 1 || after.length > 1) return undefined
    const ends = [before[0], after[0]].map(end => (end === undefined ? undefined : this.#number(this.#expression(end))))
    const [from, to] = ends
    if ((before[0] && from === undefined) || (after[0] && to === undefined)) return undefined
    const at = (end: number, count: number) => (end < 0 ? count + end : end)
    return [
      {
        path,
        layers: (number, count) =>
          number >= at(from ?? 0, count) && number < (to === undefined ? count : at(to, count)),
      },
    ]
  }

  /** `[model.bert.embeddings, *model.bert.encoder.layer[:8]]` */
  #listed(node: SyntaxNode): readonly Selection[] | undefined {
    const items = children(node).filter(({ name }) => !/^(?:[[\](),*]|Comment)$/.test(name))
    const parts = items.map(item => {
      const found = this.parts(this.#expression(item), item)
      const isUnpacked = item.prevSibling?.name === '*'
      return isUnpacked ? found?.map(part => ({ ...part, layers: part.layers ?? (() => true) })) : found
    })
    const known = parts.filter(each => each !== undefined)
    return known.length < parts.length || known.length === 0 ? undefined : known.flat()
  }

  /** Undefined for a condition on anything but the variables of the loops. */
  test(condition: Expression, expected: boolean): Test | undefined {
    const test = this.#test(condition, new Map())
    return test && (expected ? test : visited => !test(visited))
  }

  #test(condition: Expression, texts: ReadonlyMap<string, string>): Test | undefined {
    if (condition.kind === 'unary' && condition.operator === 'not') {
      const test = this.#test(condition.operand, texts)
      return test && (visited => !test(visited))
    }
    if (condition.kind === 'binary') return this.#binary(condition, texts)
    if (condition.kind === 'call') return this.#call(condition, texts)
    const truth = truthOf(this.#evaluator.evaluate(condition, this.#statement.site))
    return truth === undefined ? undefined : () => truth
  }

  #binary(
    { operator, left, right }: Expression & { readonly kind: 'binary' },
    texts: ReadonlyMap<string, string>,
  ): Test | undefined {
    if (operator === 'and' || operator === 'or') {
      const [one, other] = [this.#test(left, texts), this.#test(right, texts)]
      if (one === undefined || other === undefined) return undefined
      return operator === 'and' ? visited => one(visited) && other(visited) : visited => one(visited) || other(visited)
    }
    if (operator === 'in' || operator === 'not in') {
      const [part] = this.#texts(left, texts) ?? []
      if (part === undefined || !this.#isParameterName(right)) return undefined
      return operator === 'in' ? ({ name }) => name.includes(part) : ({ name }) => !name.includes(part)
    }
    const compares = comparisons[operator]
    const isNumber = left.kind === 'name' && this.variables.numbers.has(left.name)
    const limit = isNumber ? this.#number(right) : undefined
    return compares === undefined || limit === undefined ? undefined : ({ number }) => compares(number, limit)
  }

  /** `name.startswith("bert")`, `any(part in name for part in parts)` */
  #call(written: Expression & { readonly kind: 'call' }, texts: ReadonlyMap<string, string>): Test | undefined {
    const { callee, arguments: given } = written
    const [first, word, variable, , over] = given.map(each => (each.kind === 'positional' ? each.value : undefined))
    if (first === undefined) return undefined
    if (callee.kind === 'attribute') {
      const starts = /^(starts|ends)with$/.exec(callee.name)?.[1]
      const parts = this.#texts(first, texts)
      if (starts === undefined || parts === undefined || !this.#isParameterName(callee.object)) return undefined
      return ({ name }) => parts.some(part => (starts === 'starts' ? name.startsWith(part) : name.endsWith(part)))
    }
    const isAny = callee.kind === 'name' && callee.name === 'any'
    const isEach = word !== undefined && this.#statement.module.text.slice(word.from, word.to) === 'for'
    if (!isAny || !isEach || variable?.kind !== 'name' || over === undefined || given.length !== 5) return undefined
    const tests = this.#texts(over, texts)?.map(text => this.#test(first, new Map([...texts, [variable.name, text]])))
    const known = tests?.filter(each => each !== undefined)
    if (tests === undefined || known === undefined || known.length < tests.length) return undefined
    return visited => known.some(test => test(visited))
  }

  #isParameterName(written: Expression): boolean {
    return written.kind === 'name' && this.variables.names.has(written.name)
  }

  /** A text, or a list of them. */
  #texts(written: Expression, texts: ReadonlyMap<string, string>): readonly string[] | undefined {
    const bound = written.kind === 'name' ? texts.get(written.name) : undefined
    if (bound !== undefined) return [bound]
    const value = this.#evaluator.evaluate(written, this.#statement.site)
    const all = value.kind === 'list' ? value.items : [value]
    const known = all.flatMap(each => (each.kind === 'text' ? [each.text] : []))
    return known.length < all.length ? undefined : known
  }

  #number(written: Expression): number | undefined {
    const value = this.#evaluator.evaluate(written, this.#statement.site)
    return value.kind === 'number' && Number.isInteger(value.number) ? value.number : undefined
  }

  #expression(node: SyntaxNode): Expression {
    return expressionOf(node, this.#statement.module.text)
  }

  #text(node: SyntaxNode): string {
    return textOf(node, this.#statement.module)
  }
}

const comparisons: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
}

function inside(part: Selection, name: string): Selection {
  if (part.layers === undefined) return { ...part, path: part.path === '' ? name : `${part.path}.${name}` }
  return { ...part, within: part.within === undefined ? name : `${part.within}.${name}` }
}

/** `list(…)` gives the same. */
function unlisted(written: Expression): Expression {
  const [only, ...others] = written.kind === 'call' ? written.arguments : []
  const isList = written.kind === 'call' && written.callee.kind === 'name' && written.callee.name === 'list'
  return isList && only?.kind === 'positional' && others.length === 0 ? only.value : written
}

/** The node of an expression within another. */
function nodeAt(around: SyntaxNode, { from, to }: Expression): SyntaxNode | undefined {
  if (around.from === from && around.to === to) return around
  return children(around)
    .filter(child => child.from <= from && child.to >= to)
    .map(child => nodeAt(child, { from, to, kind: 'opaque' }))
    .find(found => found !== undefined)
}
