/** Lightning's Fabric around a loop that a script writes itself: it sets precision, devices and strategy as Lightning's Trainer does. */

import { libraryName } from '../library.ts'
import { callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { openField } from './fields.ts'
import { type TrainerFields, trainerFields } from './lightning-trainer.ts'

const libraries = /^(?:lightning|lightning_fabric|pytorch_lightning)$/

/** lightning/fabric/fabric.py, Fabric.__init__, in the keys of transformers' Trainer; undefined for files that make none. */
export function fabricFields(files: readonly Module[], file: Module, evaluator: Evaluator): TrainerFields | undefined {
  const calls = files.flatMap(({ calls }) => calls.get('Fabric') ?? [])
  for (const call of calls) {
    const expression = callExpression(call)
    const { isReached, why = 'run time' } = evaluator.isReached(call, siteAt(call))
    if (expression === undefined || isReached === false) continue
    const fabric = evaluator.evaluate(expression, siteAt(call))
    if (fabric.kind !== 'call' || !libraries.test(libraryName(fabric.name).library)) continue
    const found = trainerFields(fabric, file, evaluator)
    if (isReached === true) return found
    const hidden = openField(fabric, 'fp16', `what Fabric is given depends on ${why}`, file)
    return { ...found, settings: [...found.settings, hidden] }
  }
  return undefined
}
