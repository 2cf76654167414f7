/** The GPUs that a script shows itself: `os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"`. */

import { namedGpus, VISIBLE_GPUS } from '../../fields/cuda-visible-devices.ts'
import type { Field } from '../../text/section.ts'
import type { Call, Scope } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteOf } from '../values/sites.ts'
import type { Value } from '../values/values.ts'
import { saidBy } from './fields.ts'
import type { ModelChain } from './model-chain.ts'

/** How many, as a field under `gpus`; undefined where the script leaves it to its environment, or where only a run can tell. */
export function visibleGpus({ module, scope }: Call, evaluator: Evaluator): Field | undefined {
  const { main } = Object.fromEntries(module.functions)
  for (const each of new Set([scope, ...(main ? [main] : []), module.top])) {
    const value = setIn(each, evaluator)
    if (value === undefined) continue
    const count = value.kind === 'text' ? namedGpus(value.text) : undefined
    if (count === undefined) return undefined
    const field = saidBy(value, 'gpus', { kind: 'number', number: count }, module, VISIBLE_GPUS)
    return { ...field, source: String(count) }
  }
  return undefined
}

function setIn(scope: Scope, evaluator: Evaluator): Value | undefined {
  for (const name of ['os.environ', 'environ']) {
    const bindings = scope.members.get(`${name}[${VISIBLE_GPUS}]`)
    if (bindings === undefined) continue
    const site = siteOf(scope)
    const isCertain = bindings.every(each => evaluator.isReached(each, site).isReached !== undefined)
    return isCertain ? evaluator.names.reaching(bindings, site) : undefined
  }
  return undefined
}

/** As `from_pretrained(device_map="auto")` does. */
export function dividesLayers({ loaded }: ModelChain, evaluator: Evaluator): boolean {
  if (loaded?.kind !== 'call' || loaded.call === undefined) return false
  const map = evaluator.argumentsOf(loaded.call, loaded.site).values.get('device_map')
  return map?.kind === 'text' && /^(?:auto|balanced|balanced_low_0|sequential)$/.test(map.text)
}
