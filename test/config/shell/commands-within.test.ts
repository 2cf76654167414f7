/** Launches that stand where a script takes what they print, or whether they fail. */
import { expect, it } from 'vitest'
import { bert, trained } from './trained.ts'

const launch = `torchrun --nproc_per_node=2 train.py ${bert} --per_device_train_batch_size $BATCH`

it.each([
  ['FOLDER=$(% | tail -n 1)'],
  ['FOLDER="out/$(%)"'],
  ['export FOLDER=$(%)'],
  ['if %; then\n  echo done\nfi'],
  ['if ! % ; then\n  exit 1\nfi'],
  ['if [ -z "$QUIET" ]; then\n  FOLDER=$(%)\nfi'],
])('%s', async written => {
  const { spec, batchSizeAt } = await trained(`BATCH=6\n${written.replace('%', () => launch)}\n`)
  expect(spec).toMatchObject({ microBatch: 6, gpus: 2 })
  expect(batchSizeAt?.line).toBe(1)
})

it('what is set before counts, and not what is set within', async () => {
  const { spec } = await trained(`BATCH=6\nFOLDER=$(${launch})\nBATCH=12\n`)
  expect(spec.microBatch).toBe(6)
})
