/** A trainer that goes on from a checkpoint. */
import { expect, it } from 'vitest'
import { finetuning, trained } from '../scripts.ts'

const script = (train: string) => finetuning('', 'per_device_train_batch_size=8').replace('trainer.train()', train)

it.each([
  'trainer.train(resume_from_checkpoint=True)',
  'trainer.train(True)',
  'trainer.train("out/checkpoint-500")',
  'last = "out/checkpoint-500"\ntrainer.train(resume_from_checkpoint=last)',
])('%s is told as configs tell it', async train => {
  expect((await trained(script(train))).spec.resumes).toBe(true)
})

it.each([
  'trainer.train()',
  'trainer.train(resume_from_checkpoint=False)',
  'trainer.train(resume_from_checkpoint=None)',
  'trainer.train(resume_from_checkpoint=find_last())',
  'other.train(resume_from_checkpoint=True)\ntrainer.train()',
  'if again:\n    trainer.train(resume_from_checkpoint=True)\nelse:\n    trainer.train()',
])('%s is not', async train => {
  expect((await trained(script(train))).spec.resumes).toBeUndefined()
})
