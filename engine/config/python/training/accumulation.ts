/** How many batches a script's own loop goes backward through before each step of its optimizer. */
import type { SyntaxNode } from '@lezer/common'
import type { Field } from '../../text/section.ts'
import type { Expression } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { areEqual, placeIn, type Site, shownAt, type Value } from '../values/values.ts'
import { fieldOf, openField } from './fields.ts'
import { MAX_CALLS, type Reached, reachedCalls } from './reached-calls.ts'

const ACCUMULATION = 'gradient_accumulation_steps'

/** Of `if (step + 1) % 8 == 0: optimizer.step()`, the 8. */
export function accumulationFields(module: Module, evaluator: Evaluator): readonly Field[] {
  const accelerated = reachedCalls(module, 'Accelerator', evaluator).find(({ library }) => library === 'accelerate')
  const given = accelerated && accumulationOf(accelerated, evaluator)
  if (given !== undefined) return [fieldOf(ACCUMULATION, given, module)]
  const found = (module.calls.get('step') ?? []).slice(0, MAX_CALLS).flatMap(call => {
    const { scope, at, branches } = call
    if (!stepsOptimizer(call)) return []
    const site: Site = { module, scope, at, branches }
    return branches.flatMap(({ tests, statement }) =>
      tests.flatMap(({ condition }) =>
        [...divisorsIn(named(condition, scope)), ...limitIn(condition, call)].map(divisor =>
          evaluator.evaluate(divisor, { ...site, at: statement, branches: [] }),
        ),
      ),
    )
  })
  const [first, ...others] = found
  if (first === undefined) return [...summedInside(module, evaluator), ...countedSteps(module, evaluator)].slice(0, 1)
  if (others.every(other => areEqual(first, other) === true)) return [fieldOf(ACCUMULATION, first, module)]
  return [openField(first, ACCUMULATION, `steps are taken every ${shownAt(first.module, first)} or otherwise`, module)]
}

/** As accelerate 1.14 accelerator.py has it: as a number or by its plugin, or set on the Accelerator. */
function accumulationOf({ values, call }: Reached, evaluator: Evaluator): Value | undefined {
  const { attributeChanges } = call.module
  const set = attributeChanges.findLast(
    ({ object, key }) => /(?:^|\.)_?acc\w{0,40}$/i.test(object) && key.kind === 'text' && key.text === ACCUMULATION,
  )
  if (set?.value.kind === 'expression' && evaluator.mayRun(set))
    return evaluator.evaluate(set.value.expression, siteAt(set))
  const plugin = values.get('gradient_accumulation_plugin')
  if (plugin?.kind !== 'call') return plugin?.kind === 'open' ? plugin : values.get(ACCUMULATION)
  return evaluator.argumentsOfMade(plugin, ['num_steps']).values.get('num_steps')
}

/** `for micro in batch: loss.backward()`, and one step after the inner loop. */
function summedInside(module: Module, evaluator: Evaluator): readonly Field[] {
  const [backward] = reachedCalls(module, 'backward', evaluator)
  const loop = backward && loopAround(backward.call)
  const steps = (module.calls.get('step') ?? []).filter(
    call => call.scope === backward?.call.scope && stepsOptimizer(call),
  )
  if (backward === undefined || loop === undefined || steps.length === 0) return []
  if (steps.some(({ at }) => loop.from <= at && at < loop.to)) return []
  const why = `the gradients of an inner loop (${placeIn(module, loop.from)}) are summed before each step`
  return [openField(backward.here, ACCUMULATION, why, module)]
}

/** What a name stands for that is set once: `is_last = (step + 1) % 8 == 0`. */
function named(condition: Expression, { bindings }: Scope): Expression {
  const [bound, ...others] = (condition.kind === 'name' ? bindings.get(condition.name) : undefined) ?? []
  return bound?.value.kind === 'expression' && others.length === 0 ? bound.value.expression : condition
}

/** Of `if count == 8`, where the loop counts by `count += 1`, the 8. */
function limitIn(condition: Expression, call: Call): readonly Expression[] {
  const loop = loopAround(call)
  if (loop === undefined || condition.kind !== 'binary' || condition.left.kind !== 'name') return []
  const { operator, left, right } = condition
  const before = call.module.text.slice(loop.from, condition.from)
  return /^(?:==|>=)$/.test(operator) && before.includes(` ${left.name} += 1\n`) ? [right] : []
}

/** A step is taken under a condition of the loop's own, `if len(losses) == 8`, which no number of steps follows from. */
function countedSteps(module: Module, evaluator: Evaluator): readonly Field[] {
  for (const call of (module.calls.get('step') ?? []).slice(0, MAX_CALLS)) {
    const loop = loopAround(call)
    if (loop === undefined || !stepsOptimizer(call) || !evaluator.mayRun(call)) continue
    const tests = call.branches.flatMap(({ statement, tests: all }) => (statement > loop.from ? all : []))
    const shown = tests.map(({ condition }) => shownAt(module, condition)).find(each => counts.test(each))
    const here = { module, from: call.at, to: call.node.to, remarks: [] }
    if (shown !== undefined) return [openField(here, ACCUMULATION, `a step is taken only where ${shown}`, module)]
  }
  return []
}

const counts = /accum|step|count|batch_idx|boundary|update|micro|\blen\(/i

function loopAround({ node }: Call): SyntaxNode | undefined {
  for (let around = node.parent; around !== null; around = around.parent) {
    if (/^(?:For|While)Statement$/.test(around.name)) return around
    if (around.name === 'FunctionDefinition') return undefined
  }
  return undefined
}

function stepsOptimizer(call: Call): boolean {
  const callee = callExpression(call)?.callee
  const object = callee?.kind === 'attribute' ? callee.object : undefined
  const name = object === undefined ? '' : call.module.text.slice(object.from, object.to)
  return /opt|scaler/i.test(name) && !/sched/i.test(name)
}

function divisorsIn(condition: Expression, depth = 0): readonly Expression[] {
  if (condition.kind !== 'binary' || depth > 6) return []
  if (condition.operator === '%') return [condition.right]
  return [...divisorsIn(condition.left, depth + 1), ...divisorsIn(condition.right, depth + 1)]
}
