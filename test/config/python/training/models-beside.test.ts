/** Models that are on the GPU beside the one that a Trainer trains. */
import { describe, expect, it } from 'vitest'
import { finetuning, problems, trained } from '../scripts.ts'

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

describe('one function may load several models', () => {
  const loads = 'def load(name):\n    return AutoModelForCausalLM.from_pretrained(name)\n'
  const helped = (teacher: string) =>
    script('DistillationTrainer(model=student, args=args, train_dataset=data, teacher=teacher)')
      .replace('class Distiller:', `${loads}class Distiller:`)
      .replace('teacher = AutoModelForCausalLM.from_pretrained("gpt2-xl")', `teacher = ${teacher}`)
      .replace('student = AutoModelForCausalLM.from_pretrained("gpt2")', 'student = load("gpt2")')
      .replace(/(teacher = .*\n)(student = .*\n)/, '$2$1')

  it.each(['load("gpt2-xl")', 'load("gpt2")'])('the teacher is another: %s', async teacher => {
    const [problem] = await problems(helped(teacher))
    expect(problem?.message).toContain('Another model that is loaded here')
  })

  it('but not the one that trains', async () => {
    expect((await trained(helped('student'))).spec.model).toBe('openai-community/gpt2')
  })

  const preferences = (reference: string, model: string) => `from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer
${loads}model = ${model}
args = DPOConfig("out", per_device_train_batch_size=2)
DPOTrainer(model=model, ref_model=${reference}, args=args, train_dataset=data).train()
`
  const adapted = 'get_peft_model(load("gpt2"), LoraConfig(r=8, target_modules=["c_attn"]))'

  it.each([
    ['load("gpt2-xl")', 'load("gpt2")'],
    ['load("gpt2-xl")', adapted],
    ['load("gpt2")', adapted],
  ])('a reference of %s beside %s is another', async (reference, model) => {
    const [problem] = await problems(preferences(reference, model))
    expect(problem?.message).toContain('Another model that is loaded here')
  })

  it('a reference that is the same model is the copy that it is', async () => {
    expect((await trained(preferences('load("gpt2")', 'load("gpt2")'))).spec.method).toMatchObject({
      reference: 'copy',
    })
  })
})

describe('what a trainer is given in ways that are not followed is named, and never blocks', () => {
  const unread = async (text: string) => (await trained(text)).unreadSettings?.map(({ name }) => name)
  const given = (more: string) =>
    finetuning('import helper', 'per_device_train_batch_size=8').replace('=data', `=data${more}`)

  it.each([
    ['what is unpacked into its call', given(', **helper.more()'), '"helper.more()"'],
    ['whether it evaluates', given('').replace('=8)', '=8, eval_strategy=helper.when())'), 'eval_strategy'],
    [
      "a method's config, for a trainer of the script's own",
      given('').replace('TrainingArguments(', 'GRPOConfig(').replace('\n', '\nfrom trl import GRPOConfig\n'),
      'GRPOConfig',
    ],
    ['a config under another name', given(', config=TrainingArguments("out", gradient_checkpointing=True)'), 'config'],
  ])('%s', async (_, text, name) => {
    expect(await unread(text)).toEqual([name])
  })

  it.each(['', ', **{"compute_metrics": score}', ', callbacks=[helper.made()]', ', tokenizer=helper.tokenizer()'])(
    'but nothing is of %j',
    async more => {
      expect(await unread(given(more))).toBeUndefined()
    },
  )

  const preferences = (
    reference: string,
    adapted = 'get_peft_model(base, LoraConfig(r=8, target_modules=["c_attn"]))',
  ) =>
    `import helper
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import DPOConfig, DPOTrainer
base = AutoModelForCausalLM.from_pretrained("gpt2")
model = ${adapted}
args = DPOConfig("out", per_device_train_batch_size=2)
DPOTrainer(model=model, ref_model=${reference}, args=args, train_dataset=data).train()
`

  it('a reference beside adapters', async () => {
    expect(await unread(preferences('helper.reference()'))).toEqual(['ref_model'])
    expect(await unread(preferences('None'))).toBeUndefined()
    expect(await unread(preferences('helper.reference()', 'base'))).toBeUndefined()
  })

  it.each(['batch_size', 'mini_batch_size'])('a %s, which no config of TRL takes', async name => {
    const text = (key: string) => `from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig("out", num_generations=8, ${key}=8)
GRPOTrainer(model="gpt2", args=args, reward_funcs=[score]).train()
`
    expect(await unread(text(name))).toEqual([name])
    expect(await unread(text('per_device_train_batch_size'))).toBeUndefined()
  })
})
