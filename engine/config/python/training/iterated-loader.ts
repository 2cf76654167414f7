/** What a training loop goes over, where it is another loader than torch's DataLoader. */
import type { SyntaxNode } from '@lezer/common'
import type { Field } from '../../text/section.ts'
import { children, type Expression, expressionOf } from '../syntax/expressions.ts'
import type { Call, Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { type LibraryCall, shownAt } from '../values/values.ts'
import { batchOfLoader } from './data-loaders.ts'
import { fieldOf, openField } from './fields.ts'

const MAX_LOOPS = 6
/** Functions that give what their first argument does. */
const passesOn = /(?:^|\.)(?:enumerate|iter|tqdm|notebook_tqdm|track|progress_bar|islice|prepare|prepare_data_loader)$/
const loads = /(?:Loader|Iterator)$/

/** The batch size under `key` of the loader that the loops around `start` go over; undefined where none is told apart. */
export function iteratedBatch(start: Call, key: string, file: Module, evaluator: Evaluator): Field | undefined {
  const loader = iteratedLoader(start, evaluator)
  if (loader?.call === undefined) return undefined
  const ofTorch = batchOfLoader(loader, key, file, evaluator)
  if (ofTorch !== undefined || /^torch\./.test(loader.name)) return ofTorch
  const { values } = evaluator.argumentsOf(loader.call, loader.site, ['dataset', 'batch_size'])
  const batchSize = values.get('batch_size')
  // torchtext 0.8 data/iterator.py: samples, unless batch_size_fn counts otherwise.
  const isSamples = /^torchtext\..*\b(?:Bucket)?Iterator$/.test(loader.name) && !values.has('batch_size_fn')
  if (isSamples && batchSize !== undefined) return fieldOf(key, batchSize, file)
  return openField(
    loader,
    key,
    `the loop goes over ${shownAt(loader.module, loader)}, which is no DataLoader of torch`,
    file,
  )
}

function iteratedLoader(start: Call, evaluator: Evaluator): LibraryCall | undefined {
  const { text } = start.module
  let node: SyntaxNode | null = start.node
  for (let found = 0; node !== null && found < MAX_LOOPS; node = node.parent) {
    if (/^(?:Function|Class)Definition$/.test(node.name)) return undefined
    if (node.name !== 'ForStatement') continue
    found += 1
    const all = children(node)
    const over = all[all.findIndex(({ name }) => name === 'in') + 1]
    const value = over && evaluator.evaluate(unwrapped(expressionOf(over, text), text), siteAt(start))
    if (value?.kind === 'call' && loads.test(value.name)) return value
  }
  return undefined
}

function unwrapped(expression: Expression, text: string): Expression {
  let inner = expression
  while (inner.kind === 'call' && passesOn.test(text.slice(inner.callee.from, inner.callee.to))) {
    const [first] = inner.arguments
    if (first?.kind !== 'positional') break
    inner = first.value
  }
  return inner
}
