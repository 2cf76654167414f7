/** The recommendation for a script is a change to its literals. */
import { expect, it } from 'vitest'
import { analyze } from '../../../engine/analyze.ts'
import { proposeChange } from '../../../engine/propose.ts'

const script = (
  batch: string,
) => `from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

BATCH = ${batch}
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
args = TrainingArguments("out", per_device_train_batch_size=BATCH, gradient_accumulation_steps=32)
Trainer(model=model, args=args).train()
`

async function proposed(batch: string) {
  const file = { path: 'train.py', text: script(batch) }
  const { configs } = await analyze([file], { now: new Date('2026-01-01') })
  const [config] = configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return { config, proposal: await proposeChange(file, config) }
}

it('a constant and a keyword are replaced in place', async () => {
  const { config, proposal } = await proposed('1')
  if (proposal.kind !== 'change') throw new Error(JSON.stringify(proposal))
  const { microBatch, gradientAccumulation } = config.recommended ?? config.spec
  expect(microBatch).toBeGreaterThan(1)
  const expected = script(String(microBatch)).replace('steps=32', `steps=${gradientAccumulation}`)
  expect(proposal.after).toBe(expected)
})

it('what is computed is left to a person', async () => {
  const { proposal } = await proposed('2 - 1')
  expect(proposal).toEqual({ kind: 'by-hand', why: { kind: 'not-plain', at: { line: 3, column: 9 } } })
})
