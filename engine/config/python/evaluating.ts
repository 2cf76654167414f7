/** Trainers of transformers and TRL that a file only evaluates or predicts with. */
import { type Call, callExpression } from './module.ts'

/** Methods that train, whatever they are called on. */
const training = ['train', 'fit', 'hyperparameter_search']
const evaluating = ['evaluate', 'predict', 'evaluation_loop']

/** True where the trainer is held by a name, evaluates under that name, is handed to nobody, and nothing in the file trains. */
export function onlyEvaluates(trainer: Call): boolean {
  const { module, scope } = trainer
  const made = callExpression(trainer)
  const name = [...scope.bindings].find(([, bindings]) =>
    bindings.some(({ value }) => value.kind === 'expression' && value.expression.from === made?.from),
  )?.[0]
  if (name === undefined || training.some(method => module.calls.has(method))) return false
  const evaluates = evaluating.some(method => (module.calls.get(method) ?? []).some(call => receiverOf(call) === name))
  return evaluates && !isHandedOn(name, module.text)
}

function receiverOf(call: Call): string | undefined {
  const callee = callExpression(call)?.callee
  return callee?.kind === 'attribute' && callee.object.kind === 'name' ? callee.object.name : undefined
}

/** Whether the name stands anywhere but before a dot or an assignment. */
function isHandedOn(name: string, text: string): boolean {
  const mentions = text.matchAll(/\b[A-Za-z_]\w*\b(?! ?[.=])/g)
  return [...mentions].some(([mention]) => mention === name)
}
