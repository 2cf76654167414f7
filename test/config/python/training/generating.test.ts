/** Evaluations that generate text, which a trainer of its own does. */
import { expect, it } from 'vitest'
import { trained } from '../scripts.ts'

const script = (
  trainer: string,
) => `from transformers import AutoModelForSeq2SeqLM, Seq2SeqTrainer, Seq2SeqTrainingArguments, Trainer
class OwnTrainer(Trainer):
    def prediction_step(self, model, inputs, *rest):
        return super().prediction_step(model, inputs, *rest)
model = AutoModelForSeq2SeqLM.from_pretrained("google/flan-t5-base")
args = Seq2SeqTrainingArguments("out", per_device_train_batch_size=4, eval_strategy="epoch", predict_with_generate=True)
${trainer}(model=model, args=args).train()
`

it.each([
  ['Seq2SeqTrainer', true],
  ['OwnTrainer', true],
  ['Trainer', false],
])('%s generates: %s', async (trainer, generates) => {
  const { evaluation } = (await trained(script(trainer))).spec
  expect(evaluation).toMatchObject({ microBatch: 8 })
  expect(evaluation?.generates !== undefined).toBe(generates)
})
