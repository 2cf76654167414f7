/** Scripts that train only where their command line asks for it. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { sourcesOf } from '../../files.ts'
import { read } from '../scripts.ts'

const script = `from dataclasses import dataclass, field
from transformers import AutoModelForSequenceClassification, HfArgumentParser, Trainer, TrainingArguments

@dataclass
class ModelArguments:
    model_name_or_path: str = field(default="bert-base-uncased")
    max_seq_length: int = field(default=128)

parser = HfArgumentParser((ModelArguments, TrainingArguments))
model_args, training_args = parser.parse_args_into_dataclasses()
model = AutoModelForSequenceClassification.from_pretrained(model_args.model_name_or_path)
trainer = Trainer(model=model, args=training_args, train_dataset=data)
if training_args.do_train:
    trainer.train()
if training_args.do_eval:
    trainer.evaluate()
`
const run = (arguments_: string) =>
  `python train.py --output_dir out --per_device_train_batch_size 8 --max_seq_length 64 ${arguments_}\n`

function started(arguments_: string, text = script) {
  const launcher = { path: 'run.sh', text: run(arguments_) }
  return readConfigAsync(launcher, sourcesOf({ 'run.sh': launcher.text, 'train.py': text }))
}

describe('a script that asks do_train', () => {
  it.each(['--do_train', '--do_train --do_eval', '--do_train True'])('trains with %s', async arguments_ => {
    expect(await started(arguments_)).toMatchObject({ kind: 'training-config', spec: { microBatch: 8 } })
  })

  it.each(['--do_eval', '--do_predict', '--do_train False --do_eval', '--no_do_train'])(
    'trains nothing with %s',
    async arguments_ => {
      expect(await started(arguments_)).toMatchObject({ kind: 'not-a-training-config' })
    },
  )

  it('of its own switch', async () => {
    const own = script
      .replace('if training_args.do_train', 'if not model_args.eval_only')
      .replace('    max_seq_length', '    eval_only: bool = field(default=False)\n    max_seq_length')
    expect(await started('', own)).toMatchObject({ kind: 'training-config' })
    expect(await started('--eval_only', own)).toMatchObject({ kind: 'not-a-training-config' })
  })
})

describe('a script that leaves before its trainer', () => {
  const leaving = `import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=2)
    parser.add_argument("--eval-only", action="store_true")
    args = parser.parse_args()
    if args.eval_only:
        return evaluate(args)
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    trainer = Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=args.size))
    trainer.train()
main()
`
  const launchers = { 'score.sh': 'python train.py --eval-only --size 4\n', 'run.sh': 'python train.py --size 8\n' }
  const readings = (path: string, text: string, others = {}) =>
    readConfigAsync({ path, text }, sourcesOf({ 'train.py': leaving, ...others }))

  it('trains nothing where it is asked to', async () => {
    expect(await readings('score.sh', launchers['score.sh'])).toMatchObject({ kind: 'not-a-training-config' })
    expect(await readings('run.sh', launchers['run.sh'])).toMatchObject({ spec: { microBatch: 8 } })
  })

  it.each([[{ 'score.sh': launchers['score.sh'] }], [launchers]])('trains by itself beside %o', async others => {
    expect(await readings('train.py', leaving, others)).toMatchObject({ spec: { microBatch: 2 } })
  })

  it.each([
    ['in a loop', 'for _ in rows:\n        if args.eval_only:\n            return evaluate(args)'],
    ['where more decides', 'if args.eval_only and rows:\n        return evaluate(args)'],
    ['in a function of its own', 'def score():\n        if args.eval_only:\n            return evaluate(args)'],
  ])('is taken to train %s', async (_, left) => {
    const text = leaving.replace('if args.eval_only:\n        return evaluate(args)', left)
    expect(text).not.toBe(leaving)
    expect(await readings('score.sh', launchers['score.sh'], { 'train.py': text })).toMatchObject({
      spec: { microBatch: 4 },
    })
  })
})

it('a script that takes a file of arguments instead is read with those of its command', async () => {
  const parsed = 'model_args, training_args = parser.parse_args_into_dataclasses()\n'
  const either = script.replace(
    parsed,
    `if len(sys.argv) == 2 and sys.argv[1].endswith(".json"):
    model_args, training_args = parser.parse_json_file(json_file=os.path.abspath(sys.argv[1]))
else:
    ${parsed}`,
  )
  expect(await started('--do_train', either)).toMatchObject({
    kind: 'training-config',
    spec: { microBatch: 8, sequenceLength: 64, task: 'sequence-classification' },
  })
  expect(await started('--do_eval', either)).toMatchObject({ kind: 'not-a-training-config' })
})

describe("transformers' example scripts", () => {
  const example = (arguments_: string) =>
    read(`python run_glue.py --model_name_or_path bert-base-cased --task_name mrpc ${arguments_}\n`, 'run.sh')

  it('train where they are asked to', async () => {
    expect(await example('--do_train --per_device_train_batch_size 8')).toMatchObject({ kind: 'training-config' })
    expect(await example('--do_eval --per_device_train_batch_size 8')).toMatchObject({ kind: 'not-a-training-config' })
  })
})

describe('a trainer that stands there', () => {
  const made = `from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
trainer = Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=8), train_dataset=data)
`

  it.each(['', 'trainer.push_to_hub()\n', 'print(trainer.args.output_dir)\n'])('trains nothing: %j', async further => {
    expect(await read(made + further)).toMatchObject({ kind: 'not-a-training-config' })
  })

  it.each(['trainer.train()\n', 'run(trainer)\n', 'result = trainer.train()\ntrainer.push_to_hub()\n'])(
    'may train: %j',
    async further => {
      expect(await read(made + further)).toMatchObject({ kind: 'training-config', spec: { microBatch: 8 } })
    },
  )

  it('may train where a function gives it away', async () => {
    const given = made
      .replace('trainer = Trainer', 'def make():\n    trainer = Trainer')
      .replace(/\n$/, '\n    return trainer\n')
    expect(await read(given)).toMatchObject({ kind: 'training-config' })
  })
})
