/** The files that a training loop is written in: often its batches, its loop and its model each stand in one of their own. */

import { type Call, callExpression, type Module, type Scope, starImports } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type FoundOptimizer, optimizersIn } from './optimizers.ts'

/** By their names: an import that is none of these is not looked into for them. */
const loops = /train|fit|engine|loop|epoch|learn|solver|runner|finetun|fine_tun|step/i
const batches = /data|load|batch|token|preproc|corpus|util/i

const MAX_FILES = 6

export interface LoopFiles {
  /** The script first. */
  readonly modules: readonly Module[]
  /** The call in the script that starts the loop; the one that goes backward where the script itself does. */
  readonly start: Call
  /** Of the script, or else of the file that holds the loop. */
  readonly optimizers: readonly FoundOptimizer[]
}

/** Undefined for a script that neither goes backward nor starts what does. */
export function loopFiles(module: Module, evaluator: Evaluator): LoopFiles | undefined {
  const own = firstRun(module, 'backward', evaluator)
  const made = optimizersIn(module, evaluator)
  const other = own === undefined ? startedLoop(module, made.length > 0, evaluator) : undefined
  const start = own ?? other?.start
  if (start === undefined) return undefined
  const optimizers = made.length > 0 || other === undefined ? made : optimizersIn(other.module, evaluator)
  const modules = [module, ...(other ? [other.module] : [])]
  const isComplete = modules.some(each => each.calls.has('DataLoader')) && modules.some(cutsText)
  const data = isComplete ? [] : dataFiles(module, evaluator)
  return { modules: [...new Set([...modules, ...data])].slice(0, MAX_FILES), start, optimizers }
}

/** The loop of another file that a script starts. Where the script makes no optimizer, it calls what holds the loop and makes one. */
function startedLoop(module: Module, hasOptimizer: boolean, evaluator: Evaluator) {
  for (const each of imported(module, loops, evaluator)) {
    const backward = firstRun(each.module, 'backward', evaluator)
    if (backward === undefined || !(hasOptimizer || optimizersIn(each.module, evaluator).length > 0)) continue
    const around = namesAround(backward.scope)
    const names = hasOptimizer ? each.names : each.names.filter(name => around.includes(name))
    const start = hasOptimizer || names.length > 0 ? startOf(module, names, evaluator) : undefined
    if (start !== undefined) return { module: each.module, start }
  }
  return undefined
}

/** Of the functions and classes that a place stands in. */
function namesAround(scope: Scope): readonly string[] {
  return [scope.name, ...(scope.parent === undefined ? [] : namesAround(scope.parent))]
}

/** Of the repository, those that a script takes its data from, and those that they do. */
export function dataFiles(module: Module, evaluator: Evaluator): readonly Module[] {
  const direct = imported(module, batches, evaluator).map(each => each.module)
  const further = direct.flatMap(each => imported(each, batches, evaluator).map(file => file.module))
  return [...new Set([...direct, ...further])].filter(each => each !== module).slice(0, MAX_FILES)
}

function cutsText({ calls }: Module): boolean {
  return [...calls.keys()].some(name => /tokenizer$|encode_plus$|^Resize$|Crop$/i.test(name))
}

function firstRun(module: Module, name: string, evaluator: Evaluator): Call | undefined {
  return module.calls.get(name)?.find(call => evaluator.mayRun(call))
}

interface Imported {
  readonly module: Module
  /** That the script has from it. */
  readonly names: readonly string[]
}

/** Files of the repository that a script imports, at its top or in its functions, by their names or by what it imports. */
function imported(module: Module, wanted: RegExp, evaluator: Evaluator): readonly Imported[] {
  const found = new Map<Module, string[]>()
  const add = (from: string, names: readonly string[]) => {
    const file = evaluator.find(module, from)
    if (file === undefined || file === module) return
    found.set(file, [...(found.get(file) ?? []), ...names])
  }
  for (const [name, bindings] of [module.top, ...module.functions.values()].flatMap(({ bindings: all }) => [...all])) {
    const value = bindings.at(-1)?.value
    if (value?.kind !== 'import' || name === '*') continue
    const { from, member } = value
    if (!wanted.test(member === undefined ? from : `${from}.${member}`)) continue
    add(from, [name])
  }
  for (const from of starImports(module.top)) if (wanted.test(from)) add(from, [])
  return [...found].map(([file, names]) => ({ module: file, names }))
}

/** Where a script calls something of the file that holds the loop, or a method that is named as one. */
function startOf(module: Module, names: readonly string[], evaluator: Evaluator): Call | undefined {
  const calls = [...module.calls].flatMap(([name, all]) =>
    names.includes(name) || /^(?:train\w*|fit|run)$/.test(name) ? all : [],
  )
  const run = calls.filter(call => callExpression(call) !== undefined && evaluator.mayRun(call))
  return run.toSorted((a, b) => a.at - b.at)[0]
}
