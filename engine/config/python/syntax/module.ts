/** The parts of a file that settings may depend on: names with their bindings, functions, classes, calls. */
import type { SyntaxNode } from '@lezer/common'
import { type CallExpression, type Expression, expressionOf } from './expressions.ts'
import type { Notebook } from './notebook.ts'

export interface ModuleOptions {
  readonly notebook?: Notebook | undefined
  readonly readFor?: string | undefined
  readonly isImported?: boolean
}

export class Module {
  readonly path: string
  readonly text: string
  readonly top: Scope
  readonly classes = new Map<string, Scope>()
  readonly functions = new Map<string, Scope>()
  /** Every call, by the last name of what is called. */
  readonly calls = new Map<string, Call[]>()
  /** Statements like `parameter.requires_grad = False`. */
  readonly gradientSwitches: GradientSwitch[] = []
  readonly itemChanges: ItemChange[] = []
  readonly attributeChanges: ItemChange[] = []
  /** That its text is of. */
  readonly notebook: Notebook | undefined

  /** The file that positions are in, which is its launcher's where it is read for that. */
  readonly readFor: string
  /** By the script, and not run itself. */
  readonly isImported: boolean
  #mainAt: number | undefined

  constructor(path: string, text: string, { notebook, readFor = path, isImported = false }: ModuleOptions = {}) {
    this.path = path
    this.text = text
    this.notebook = notebook
    this.readFor = readFor
    this.isImported = isImported
    this.top = newScope(this, { kind: 'module', name: '', parent: undefined, from: 0 })
  }

  /** Where it asks whether it is run itself, by `if __name__ == "__main__"`; infinite where it does not. */
  get mainAt(): number {
    if (this.#mainAt === undefined) {
      const at = this.text.search(/^if __name__ ==/m)
      this.#mainAt = at === -1 ? Number.POSITIVE_INFINITY : at
    }
    return this.#mainAt
  }
}

export function newScope(
  module: Module,
  described: Pick<Scope, 'kind' | 'name' | 'parent' | 'from'> & Partial<Pick<Scope, 'bases' | 'decorators'>>,
): Scope {
  const own = { bindings: new Map(), members: new Map(), parameters: [], returns: [], leavesAt: [], leavesWhere: [] }
  return { module, bases: [], decorators: [], ...own, ...described }
}

export interface Scope {
  readonly kind: 'module' | 'function' | 'class'
  readonly name: string
  readonly module: Module
  readonly parent: Scope | undefined
  readonly from: number
  readonly bindings: Map<string, Binding[]>
  /**
   * For a class, what its methods set on `self`, by name; otherwise what is set on an object, by `config.name` or
   * `config[name]`.
   */
  readonly members: Map<string, Binding[]>
  readonly parameters: Parameter[]
  /** Of a function, what takes the arguments that no parameter does: `**kwargs`. */
  rest?: Parameter
  /** Values that a function returns. */
  readonly returns: (Place & { readonly value: { readonly expression: Expression } })[]
  /** Where a function returns, with a value or without. */
  readonly leavesAt: number[]
  /** Those of them that the conditions around decide: no loop, no error. */
  readonly leavesWhere: Place[]
  /** Of a class. */
  readonly bases: readonly Expression[]
  /** Names of the decorators, and calls of them. */
  readonly decorators: readonly Expression[]
}

/** Where something stands in a file. */
export interface Place {
  readonly scope: Scope
  readonly at: number
  /** The branches around it, within its scope, outermost first. */
  readonly branches: readonly Branch[]
}

export interface GradientSwitch extends Place {
  /** `parameter.requires_grad` */
  readonly target: SyntaxNode
  readonly value: Expression
}

/** One of several parts of a statement of which at most one runs. */
export interface Branch {
  readonly statement: number
  readonly index: number
  /** All must come out as told for it to run. */
  readonly tests: readonly { readonly condition: Expression; readonly expected: boolean }[]
  /** What handles an error is taken not to run. */
  readonly isHandler: boolean
}

/** Of the branches around places in a file. */
export function conditionsAround(places: readonly Place[]): readonly Expression[] {
  return places.flatMap(({ branches }) => branches.flatMap(({ tests }) => tests.map(({ condition }) => condition)))
}

export interface Binding extends Place {
  readonly value: Bound
  /** A function sets a name of the file. */
  readonly isGlobal?: true
}

/** `options[key] = value`, `del options[key]`, `arguments.key = value` */
export interface ItemChange extends Binding {
  /** As it is written. */
  readonly object: string
  readonly key: Expression
}

export type Bound =
  | { readonly kind: 'expression'; readonly expression: Expression }
  /** The element of a tuple. */
  | { readonly kind: 'element'; readonly of: Expression; readonly index: number }
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  | { readonly kind: 'import'; readonly from: string; readonly member: string | undefined }
  | { readonly kind: 'function'; readonly scope: Scope }
  | { readonly kind: 'class'; readonly scope: Scope }
  /** Declared without a value: `name: str`. */
  | { readonly kind: 'declared' }
  /** An item of a dictionary, by `del`. */
  | { readonly kind: 'removed' }
  /** What a loop, a `with` or an operation gives. */
  | { readonly kind: 'opaque'; readonly why: string }

export interface Parameter {
  readonly name: string
  readonly byDefault: Expression | undefined
  readonly at: number
}

export interface Call extends Place {
  readonly module: Module
  readonly node: SyntaxNode
}

/** `from module import *` */
const FROM_EVERYTHING = '*'

/** The names of a module that `from module import *` binds come from there. */
export function starImports({ bindings }: Scope): readonly string[] {
  return (bindings.get(FROM_EVERYTHING) ?? []).flatMap(({ value }) => (value.kind === 'import' ? [value.from] : []))
}

/** Values are asked for again and again, each time by the calls that may give them. */
const callExpressions = new WeakMap<Call, CallExpression | undefined>()

export function callExpression(call: Call): CallExpression | undefined {
  if (!callExpressions.has(call)) {
    const expression = expressionOf(call.node, call.module.text)
    callExpressions.set(call, expression.kind === 'call' ? expression : undefined)
  }
  return callExpressions.get(call)
}

export function classAround(scope: Scope | undefined): Scope | undefined {
  for (let around = scope; around !== undefined; around = around.parent) if (around.kind === 'class') return around
  return undefined
}
