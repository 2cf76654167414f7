/** Models that are on the GPU beside the one that a Trainer trains. */
import { expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

const script = (trainer: string) => `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
class Distiller:
    def __init__(self, teacher, student, temperature=2.0):
        self.teacher = teacher
        self.student = student
class DistillationTrainer(Trainer):
    def __init__(self, teacher=None, distiller=None, **kwargs):
        super().__init__(**kwargs)
        self.teacher = teacher
        self.distiller = distiller
teacher = AutoModelForCausalLM.from_pretrained("gpt2-xl")
student = AutoModelForCausalLM.from_pretrained("gpt2")
args = TrainingArguments("out", per_device_train_batch_size=8)
trainer = ${trainer}
trainer.train()
`

it.each([
  'DistillationTrainer(model=student, args=args, train_dataset=data, teacher=teacher)',
  'DistillationTrainer(model=student, args=args, train_dataset=data, distiller=Distiller(teacher, student))',
])('a teacher is named: %s', async trainer => {
  const message =
    'Another model that is loaded here changes what training holds in memory, and is not understood in scripts yet'
  expect(await problems(script(trainer))).toMatchObject([{ message, line: 11 }])
})

it('what the trainer is not given is not', async () => {
  const alone = 'DistillationTrainer(model=student, args=args, distiller=Distiller(None, student))'
  expect((await trained(script(alone))).spec).toMatchObject({ model: 'openai-community/gpt2', microBatch: 8 })
})
