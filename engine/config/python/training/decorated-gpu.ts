/** The GPU that a function is decorated with, of Modal and Beam: `@app.function(gpu="L40S")`. */
import { type AskedCard, askedCard, severalCards } from '../../job/request.ts'
import type { CallExpression, Expression } from '../syntax/expressions.ts'
import type { Call, Scope } from '../syntax/module.ts'
import { lineOf } from '../values/values.ts'

const decorates = /(?:^|\.)(?:function|cls|task_queue|endpoint)$/
const imports = /^[ \t]*(?:import|from)[ \t]+(?:modal|beam)\b/m

/** Of the function around a training, or of all in the file where they agree. */
export function decoratedGpu({ scope, module }: Call): AskedCard | undefined {
  if (!imports.test(module.text)) return undefined
  for (let around: Scope | undefined = scope; around !== undefined; around = around.parent) {
    const own = gpuOf(around)
    if (own !== undefined) return cardOf(own, around)
  }
  if (scope.kind === 'module') return undefined
  const others = [...module.functions.values(), ...module.classes.values()].flatMap(each => {
    const gpu = gpuOf(each)
    return gpu === undefined ? [] : [cardOf(gpu, each)]
  })
  const [first] = others
  return others.every(other => shown(other) === shown(first)) ? first : undefined
}

function gpuOf({ decorators }: Scope): Expression | undefined {
  const calls = decorators.filter((each): each is CallExpression => each.kind === 'call')
  const given = calls
    .filter(({ callee }) => callee.kind === 'name' && decorates.test(callee.name))
    .flatMap(call => call.arguments)
    .find(argument => argument.kind === 'keyword' && argument.name === 'gpu')
  return given?.kind === 'keyword' ? given.value : undefined
}

/** `H100:8`: the name, and how many of them. */
function cardOf(value: Expression, { module }: Scope): AskedCard | undefined {
  const place = { path: module.path, line: lineOf(module, value.from) }
  if (value.kind === 'text') return askedCard(value.text.replace(/:\d{1,3}$/, '').replace(/!$/, ''), place)
  if (value.kind !== 'list') return undefined
  const names = value.items.flatMap(item => (item.kind === 'text' ? [item.text] : []))
  return names.length > 0 ? severalCards(names.slice(0, 6).join(', '), place) : undefined
}

function shown(card: AskedCard | undefined): string {
  return card === undefined ? '' : card.kind === 'card' ? card.gpu.id : card.asked
}
