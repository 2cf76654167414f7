/** One pass over a file's tree: which names are bound where, under which conditions, and what is called. */
import type { SyntaxNode, Tree } from '@lezer/common'
import { argumentsIn, children, type Expression, expressionOf } from './expressions.ts'
import {
  type Binding,
  type Bound,
  type Branch,
  classAround,
  Module,
  type ModuleOptions,
  newScope,
  type Place,
  type Scope,
} from './module.ts'
import { branchesOf, casesOf, handlerBranch, importsIn, isRepeated, parametersIn } from './statements.ts'

export function moduleOf(path: string, text: string, tree: Tree, options?: ModuleOptions): Module {
  const module = new Module(path, text, options)
  // Of a broken tree nothing can be believed: the script starts no training that can be read.
  return new Collector(module).collect(tree) ? module : new Module(path, text, options)
}

/** Most bindings are never asked for: their expressions are read when one is. */
class LazyExpression {
  readonly kind = 'expression'
  readonly #node: SyntaxNode
  readonly #text: string
  #expression: Expression | undefined

  constructor(node: SyntaxNode, text: string) {
    this.#node = node
    this.#text = text
  }

  get expression(): Expression {
    this.#expression ??= expressionOf(this.#node, this.#text)
    return this.#expression
  }
}

class Collector {
  readonly #text: string
  readonly #module: Module
  #scope: Scope
  #branches: readonly Branch[] = []
  /** By where their statements begin. */
  readonly #branchesOf = new Map<number, ReadonlyMap<number, Branch>>()
  /** What functions declare as names of the file. */
  readonly #globals = new Map<Scope, ReadonlySet<string>>()
  /** What to go back to when a node is left. */
  readonly #outer: {
    readonly node: number
    readonly name: string
    readonly scope: Scope
    readonly branches: readonly Branch[]
  }[] = []

  constructor(module: Module) {
    this.#text = module.text
    this.#module = module
    this.#scope = this.#module.top
  }

  /** False where the tree is broken: Lezer's of deep nesting that is no Python may have nodes without a type, where its own walk ends. */
  collect(tree: Tree): boolean {
    try {
      tree.iterate({
        // Most nodes are passed over, and are not made.
        enter: ref => this.#enter(ref.name, ref.from, () => ref.node),
        leave: ({ name, from }) => this.#leave(name, from),
      })
    } catch (error) {
      if (error instanceof TypeError && error.message.includes('isAnonymous')) return false
      throw error
    }
    return true
  }

  #enter(name: string, from: number, nodeOf: () => SyntaxNode): boolean | undefined {
    switch (name) {
      case 'FunctionDefinition':
        return this.#enterFunction(nodeOf())
      case 'ClassDefinition':
        return this.#enterClass(nodeOf())
      case 'Body':
        return this.#enterBody(nodeOf(), from)
      case 'AssignStatement':
        return this.#assign(nodeOf())
      case 'UpdateStatement':
        return this.#update(nodeOf())
      case 'DeleteStatement':
        return this.#delete(nodeOf())
      case 'ScopeStatement':
        return this.#declareGlobals(nodeOf())
      case 'ForStatement':
        return this.#bindTargets(nodeOf(), 'for', 'in', 'takes several values in a loop')
      case 'WithStatement':
        return this.#bindNames(nodeOf(), 'as')
      case 'NamedExpression':
        return this.#bindNamed(nodeOf())
      case 'ReturnStatement':
        return this.#return(nodeOf())
      case 'ImportStatement':
        return this.#import(nodeOf())
      case 'CallExpression':
        return this.#call(nodeOf())
      case 'String':
      case 'FormatString':
      case 'Comment':
        return name === 'FormatString'
      default:
        return undefined
    }
  }

  #leave(name: string, from: number): void {
    const last = this.#outer.at(-1)
    if (last === undefined || last.node !== from || last.name !== name) return
    this.#outer.pop()
    this.#scope = last.scope
    this.#branches = last.branches
  }

  #into(node: SyntaxNode, scope: Scope, branches: readonly Branch[]): void {
    this.#outer.push({ node: node.from, name: node.name, scope: this.#scope, branches: this.#branches })
    this.#scope = scope
    this.#branches = branches
  }

  #enterFunction(node: SyntaxNode): undefined {
    const name = this.#nameIn(node)
    const scope = this.#open('function', name, node)
    const list = node.getChild('ParamList')
    if (list !== null) {
      const { parameters, rest } = parametersIn(list, this.#text)
      scope.parameters.push(...parameters)
      if (rest !== undefined) scope.rest = rest
      for (const parameter of [...parameters, ...(rest === undefined ? [] : [rest])]) {
        const place = { scope, at: parameter.at, branches: [] }
        bind(scope.bindings, parameter.name, { ...place, value: { kind: 'parameter', parameter } })
      }
    }
    this.#bind(name, node.from, { kind: 'function', scope })
    if (!this.#module.functions.has(name)) this.#module.functions.set(name, scope)
    this.#into(node, scope, [])
  }

  #enterClass(node: SyntaxNode): undefined {
    const name = this.#nameIn(node)
    const list = node.getChild('ArgList')
    const bases =
      list === null
        ? []
        : argumentsIn(list, this.#text).flatMap(each => (each.kind === 'positional' ? [each.value] : []))
    const scope = this.#open('class', name, node, bases)
    this.#bind(name, node.from, { kind: 'class', scope })
    if (!this.#module.classes.has(name)) this.#module.classes.set(name, scope)
    this.#into(node, scope, [])
  }

  #open(kind: 'function' | 'class', name: string, node: SyntaxNode, bases: readonly Expression[] = []): Scope {
    const decorated = node.parent?.name === 'DecoratedStatement' ? node.parent.getChildren('Decorator') : []
    const decorators = decorated.flatMap(each => this.#decorator(each))
    return newScope(this.#module, { kind, name, parent: this.#scope, from: node.from, bases, decorators })
  }

  /** Not itself a call in the grammar. */
  #decorator(node: SyntaxNode): readonly Expression[] {
    const list = node.getChild('ArgList')
    const to = list?.from ?? node.to
    const name = this.#text.slice(node.from + 1, to).trim()
    const callee: Expression = { from: node.from, to, kind: 'name', name }
    if (list === null) return [callee]
    return [{ from: node.from, to: node.to, kind: 'call', callee, arguments: argumentsIn(list, this.#text) }]
  }

  #enterBody(node: SyntaxNode, from: number): undefined {
    const statement = node.parent
    const branch = statement === null ? undefined : this.#branchOf(statement, from)
    if (branch !== undefined) this.#into(node, this.#scope, [...this.#branches, branch])
  }

  #branchOf(statement: SyntaxNode, body: number): Branch | undefined {
    if (statement.name === 'TryStatement') return handlerBranch(statement, body)
    const matching = statement.name === 'MatchClause' ? statement.parent?.parent : undefined
    if (statement.name !== 'IfStatement' && !matching) return undefined
    const { from } = matching ?? statement
    const known =
      this.#branchesOf.get(from) ?? (matching ? casesOf(matching, this.#text) : branchesOf(statement, this.#text))
    this.#branchesOf.set(from, known)
    return known.get(body)
  }

  #assign(node: SyntaxNode): undefined {
    const groups: SyntaxNode[][] = [[]]
    const tuples = new Set<SyntaxNode[] | undefined>()
    let isDeclared = false
    for (const child of children(node)) {
      if (child.name === 'AssignOp') groups.push([])
      else if (child.name === 'TypeDef') isDeclared = true
      else if (child.name === ',') tuples.add(groups.at(-1))
      else if (child.name !== 'Comment') groups.at(-1)?.push(child)
    }
    const values = groups.length > 1 ? groups.pop() : undefined
    const value = values === undefined ? undefined : this.#valueOf(values, node)
    for (const targets of groups) {
      const [only] = targets
      if (only === undefined) continue
      const at = node.to
      if (value === undefined) {
        if (isDeclared) this.#bindTarget(only, at, { kind: 'declared' })
      } else if (!tuples.has(targets)) this.#bindTarget(only, at, value)
      else this.#bindElements(targets, at, value.expression)
    }
  }

  #valueOf(
    values: readonly SyntaxNode[],
    node: SyntaxNode,
  ): Extract<Bound, { readonly kind: 'expression' }> | undefined {
    const [first, ...others] = values
    if (first === undefined) return undefined
    if (others.length === 0) return new LazyExpression(first, this.#text)
    const items = values.map(value => expressionOf(value, this.#text))
    return { kind: 'expression', expression: { from: first.from, to: node.to, kind: 'list', items } }
  }

  #bindElements(targets: readonly SyntaxNode[], at: number, value: Expression): void {
    for (const [index, target] of targets.entries()) {
      const item = value.kind === 'list' ? value.items[index] : undefined
      const bound: Bound = item ? { kind: 'expression', expression: item } : { kind: 'element', of: value, index }
      this.#bindTarget(target, at, bound)
    }
  }

  #bindTarget(target: SyntaxNode, at: number, value: Bound): void {
    if (target.name === 'VariableName') this.#bind(this.#text.slice(target.from, target.to), at, value)
    else if (/^(?:Tuple|Array|Parenthesized)Expression$/.test(target.name)) {
      const inner = children(target).filter(({ name }) => !/^[()[\],]$/.test(name))
      if (value.kind === 'expression') this.#bindElements(inner, at, value.expression)
    } else this.#bindMember(target, at, value)
  }

  /** `config.batch = 8`, `config['batch'] = 8` */
  #bindMember(target: SyntaxNode, at: number, value: Bound): void {
    const written = expressionOf(target, this.#text)
    if (written.kind === 'attribute') {
      const object = this.#text.slice(written.object.from, written.object.to)
      const place = this.#place(at)
      if (written.name === 'requires_grad' && value.kind === 'expression')
        this.#module.gradientSwitches.push({ ...place, target, value: value.expression })
      const owner = object === 'self' || object === 'cls' ? classAround(this.#scope) : undefined
      if (owner !== undefined) bind(owner.members, written.name, { ...place, value })
      else {
        bind(this.#scope.members, `${object}.${written.name}`, { ...place, value })
        const key: Expression = { from: written.from, to: written.to, kind: 'text', text: written.name }
        this.#module.attributeChanges.push({ ...place, object, key, value })
      }
    }
    // A slice is read as nothing.
    const holder = written.kind === 'subscript' ? written.object : target.firstChild
    if (written.kind === 'attribute' || target.name !== 'MemberExpression' || holder === null) return
    const object = this.#text.slice(holder.from, holder.to)
    const key: Expression = written.kind === 'subscript' ? written.index : written
    if (key.kind === 'text') bind(this.#scope.members, `${object}[${key.text}]`, { ...this.#place(at), value })
    this.#module.itemChanges.push({ ...this.#place(at), object, key, value })
  }

  /** `targets += ["lm_head"]` as `targets = targets + ["lm_head"]`; in a loop, where that may happen several times, only `|=` comes to the same. */
  #update(node: SyntaxNode): undefined {
    const [target, sign, given] = children(node)
    if (target === undefined) return
    const { from, to } = node
    const operator = sign === undefined ? '' : this.#text.slice(sign.from, sign.to - 1)
    const value = given !== undefined && (operator === '|' || !isRepeated(node)) ? given : undefined
    const [left, right] = [target, value].map(each => each && expressionOf(each, this.#text))
    this.#bindTarget(
      target,
      to,
      left === undefined || right === undefined
        ? { kind: 'opaque', why: 'is changed by an operation' }
        : { kind: 'expression', expression: { from, to, kind: 'binary', operator, left, right } },
    )
  }

  #delete(node: SyntaxNode): undefined {
    for (const target of children(node)) {
      if (target.name === 'MemberExpression') this.#bindMember(target, node.to, { kind: 'removed' })
    }
  }

  /** `global size` in a function, which sets the name of the file where it is called. */
  #declareGlobals(node: SyntaxNode): undefined {
    if (node.firstChild?.name !== 'global') return
    const names = node.getChildren('VariableName').map(({ from, to }) => this.#text.slice(from, to))
    this.#globals.set(this.#scope, new Set([...(this.#globals.get(this.#scope) ?? []), ...names]))
  }

  #bindTargets(node: SyntaxNode, after: string, before: string, why: string): undefined {
    let isWithin = false
    for (const child of children(node)) {
      if (child.name === before) break
      if (isWithin) this.#bindOpaque(child, why)
      if (child.name === after) isWithin = true
    }
  }

  #bindOpaque(node: SyntaxNode, why: string): void {
    const names = node.name === 'VariableName' ? [node] : node.getChildren('VariableName')
    for (const name of names) this.#bindTarget(name, node.to, { kind: 'opaque', why })
  }

  #bindNames(node: SyntaxNode, after: string): undefined {
    const nodes = children(node)
    for (const [index, child] of nodes.entries()) {
      if (nodes[index - 1]?.name !== after) continue
      const given = nodes[index - 2]
      if (given !== undefined && this.#opensFile(given))
        this.#bindTarget(child, child.to, new LazyExpression(given, this.#text))
      else this.#bindOpaque(child, 'is what a with statement gives')
    }
  }

  /** `open("train.yaml")`, whose settings may be read from there. */
  #opensFile({ name, firstChild }: SyntaxNode): boolean {
    if (name !== 'CallExpression' || firstChild === null) return false
    return /(?:^|\.)open$/.test(this.#text.slice(Math.max(firstChild.from, firstChild.to - 10), firstChild.to))
  }

  /** `(size := 8)` */
  #bindNamed(node: SyntaxNode): undefined {
    const [name, value] = [node.firstChild, node.lastChild]
    if (name !== null && value !== null) this.#bindTarget(name, node.to, new LazyExpression(value, this.#text))
  }

  #return(node: SyntaxNode): undefined {
    const values = children(node).filter(({ name }) => !/^(?:return|,|;|Comment)$/.test(name))
    const value = this.#valueOf(values, node)
    this.#scope.leavesAt.push(node.from)
    if (isInConditions(node)) this.#scope.leavesWhere.push(this.#place(node.from))
    if (value !== undefined) this.#scope.returns.push({ ...this.#place(node.from), value })
  }

  #import(node: SyntaxNode): undefined {
    for (const { name, from, member } of importsIn(node, this.#text))
      this.#bind(name, node.to, { kind: 'import', from, member })
  }

  #call(node: SyntaxNode): undefined {
    const callee = node.firstChild
    if (callee === null) return
    const [, name] = /(\w+)\s*$/.exec(this.#text.slice(Math.max(callee.from, callee.to - 100), callee.to)) ?? []
    if (name === undefined) return
    const calls = this.#module.calls.get(name) ?? []
    calls.push({ ...this.#place(node.from), module: this.#module, node })
    this.#module.calls.set(name, calls)
  }

  #bind(name: string, at: number, value: Bound): void {
    bind(this.#scope.bindings, name, { ...this.#place(at), value })
    if (this.#globals.get(this.#scope)?.has(name))
      bind(this.#module.top.bindings, name, { ...this.#place(at), value, isGlobal: true })
  }

  #place(at: number): Place {
    return { scope: this.#scope, at, branches: this.#branches }
  }

  #nameIn(node: SyntaxNode): string {
    const name = node.getChild('VariableName')
    return name === null ? '' : this.#text.slice(name.from, name.to)
  }
}

function bind(bindings: Map<string, Binding[]>, name: string, binding: Binding): void {
  const known = bindings.get(name)
  if (known === undefined) bindings.set(name, [binding])
  else known.push(binding)
}

/** Within branches of `if` alone, of a function. */
function isInConditions(statement: SyntaxNode): boolean {
  let node = statement.parent
  while (node?.name === 'Body' || node?.name === 'IfStatement') node = node.parent
  return node?.name === 'FunctionDefinition'
}
