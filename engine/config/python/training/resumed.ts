/** Whether a script has its trainer go on from a checkpoint: `trainer.train(resume_from_checkpoint=True)`. */
import type { Field } from '../../text/section.ts'
import { type Call, callExpression } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { fieldOf } from './fields.ts'

const KEY = 'resume_from_checkpoint'

/** Of the calls of `train` on what `made` makes; none where only run time tells whether there is a checkpoint. */
export function resumed(made: Call, evaluator: Evaluator): readonly Field[] {
  const { module } = made
  const trainer = callExpression(made)
  const given = (module.calls.get('train') ?? []).flatMap(call => {
    const expression = callExpression(call)
    const callee = expression?.callee
    const of = callee?.kind === 'attribute' ? evaluator.evaluate(callee.object, siteAt(call)) : undefined
    const isOfTrainer = of?.module === module && of.from === trainer?.from
    if (expression === undefined || !isOfTrainer || evaluator.isReached(call, siteAt(call)).isReached !== true)
      return []
    return evaluator.argumentsOf(expression, siteAt(call), [KEY]).values.get(KEY) ?? []
  })
  const asked = given.find(({ kind }) => kind === 'flag' || kind === 'text')
  return asked === undefined ? [] : [fieldOf(KEY, asked, module)]
}
