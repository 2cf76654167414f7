/** `YOLO('yolo11n.pt').train(batch=16)`, as the keys that a file of Ultralytics' settings has. */
import { type Field, Section } from '../../text/section.ts'
import { libraryName } from '../library.ts'
import { type Call, callExpression } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import type { Value } from '../values/values.ts'
import { fieldOf, openField } from './fields.ts'

/** Undefined where the call is not of a detector's `train`. */
export function detectorTraining(call: Call, evaluator: Evaluator): Section | undefined {
  const { module, scope, at, branches } = call
  const site = { module, scope, at, branches }
  const expression = callExpression(call)
  if (expression?.callee.kind !== 'attribute' || expression.callee.name !== 'train') return undefined
  const model = evaluator.evaluate(expression.callee.object, site)
  if (!isDetector(model) || model.call === undefined) return undefined
  const [weights] = evaluator.argumentsOf(model.call, model.site, ['model']).values.values()
  const { values, unknown } = evaluator.argumentsOf(expression, site)
  // `.train()` alone switches a module's mode.
  if (values.size === 0 && unknown === undefined) return undefined
  const here = { module, from: at, to: expression.to, remarks: [] }
  const fields: Field[] = [...values].map(([key, value]) => fieldOf(key, value, module))
  if (unknown !== undefined)
    fields.push(openField(here, 'batch', `what is unpacked from ${unknown} may set it`, module))
  if (weights !== undefined) fields.push(fieldOf('model', weights, module))
  return Section.of(fields.filter(({ value }) => value.kind !== 'empty'))
}

function isDetector(value: Value): value is Value & { readonly kind: 'call' } {
  if (value.kind !== 'call') return false
  const { library, name } = libraryName(value.name)
  return library === 'ultralytics' && /^(?:YOLO|YOLOE|YOLOWorld|RTDETR)$/.test(name)
}
