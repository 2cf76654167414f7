/** A launcher's arguments in the script that it starts: in the reading of the script, and in that of the launcher. */
import { describe, expect, it, test } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { explainConfigAsync, readConfigAsync } from '../../engine/config/read.ts'
import { proposeChange } from '../../engine/propose.ts'
import { type Files, sourcesOf } from './files.ts'

const script = `import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("-b", "--batch-size", dest="size", type=int, default=8)
parser.add_argument("--model", default="gpt2")
parser.add_argument("--no-amp", action="store_false", dest="amp")
parser.add_argument("--alpha", type=float, default=0.5)
parser.add_argument("--accumulate", type=int, default=1)
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.model)
arguments = TrainingArguments(
    "out", per_device_train_batch_size=args.size, gradient_accumulation_steps=args.accumulate, bf16=args.amp
)
Trainer(model, arguments).train()
`
const byClass = `from dataclasses import dataclass
from transformers import AutoModelForCausalLM, HfArgumentParser
from trl import SFTConfig, SFTTrainer
@dataclass
class ModelArguments:
    model_name_or_path: str
    alpha: float = 0.1
model_args, args = HfArgumentParser((ModelArguments, SFTConfig)).parse_args_into_dataclasses()
model = AutoModelForCausalLM.from_pretrained(model_args.model_name_or_path)
SFTTrainer(model, args=args).train()
`
const run = 'torchrun --nproc_per_node 4 train.py \\\n  --batch-size 24 --alpha 0.9\n'

function reading(files: Files, path: string) {
  return readConfigAsync({ path, text: files[path] ?? '' }, sourcesOf(files))
}

async function trained(files: Files, path: string) {
  const read = await reading(files, path)
  if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
  return read
}

function report(files: Files, paths: readonly string[]) {
  const changed = paths.map(path => ({ path, text: files[path] ?? '' }))
  return analyze(changed, { now: new Date(0), sources: sourcesOf(files) })
}

describe('a script', () => {
  it('is asked for a switch that only a run passes to it', async () => {
    const text = `FLAGS=(--batch-size 24)\nif [ "$FULL" = 1 ]; then FLAGS+=(--no-amp); fi\npython train.py "\${FLAGS[@]}"\n`
    expect(await reading({ 'train.py': script, 'run.sh': text }, 'run.sh')).toMatchObject({
      kind: 'unreadable',
      problems: [
        { code: 'not-in-file', field: 'bf16', message: expect.stringContaining('set under a condition (line 2)') },
      ],
    })
  })

  it('is read with the arguments of the one launcher that starts it, whose line is told', async () => {
    const files = { 'train.py': script, 'run.sh': run }
    const { decisions, reading } = await explained(files, 'train.py')
    expect(reading).toMatchObject({ kind: 'training-config', spec: { microBatch: 24, gpus: 4, precision: 'amp-bf16' } })
    expect(reading).not.toHaveProperty('assumesCode')
    expect(reading).not.toHaveProperty('batchSizeAt')
    expect(decisions.find(({ setting }) => setting === 'microBatch')?.from).toMatchObject({
      field: { file: 'run.sh', at: { line: 2, column: 16 } },
    })
    expect(reading.kind === 'training-config' && reading.assumptions.join(' ')).toContain(
      'Started by torchrun in run.sh, line 1 with batch_size, alpha.',
    )
  })

  it('that is no config by itself is one with them', async () => {
    const command = 'python train.py --model_name_or_path gpt2 --per_device_train_batch_size 6 --max_length 256\n'
    expect((await reading({ 'train.py': byClass }, 'train.py')).kind).toBe('not-a-training-config')
    const { spec, assumesCode } = await trained({ 'train.py': byClass, 'run.sh': command }, 'train.py')
    expect(spec).toMatchObject({ microBatch: 6, sequenceLength: 256 })
    expect(assumesCode).toBeUndefined()
  })

  it('that is started with different arguments is read as it stands, and nothing blocks', async () => {
    const files = { 'train.py': script, 'run.sh': run, 'small.sh': run.replace('24', '4') }
    const { spec, assumesCode, assumptions } = await trained(files, 'train.py')
    expect(spec).toMatchObject({ microBatch: 8, gpus: 4 })
    expect(assumesCode).toBe(true)
    expect(assumptions[0]).toContain('torchrun in run.sh, line 1; torchrun in small.sh, line 1')
  })

  it('with an argument that it has no option for does not block', async () => {
    const files = { 'train.py': script, 'run.sh': run.replace('--alpha', '--secret') }
    const { spec, assumesCode, assumptions } = await trained(files, 'train.py')
    expect({ microBatch: spec.microBatch, assumesCode }).toEqual({ microBatch: 24, assumesCode: true })
    expect(assumptions.join(' ')).toContain('started with secret, for which no option is found in it')
  })

  it('whose launcher computes the batch size says so at the launcher', async () => {
    const files = { 'train.py': script, 'run.sh': run.replace('24', '$SIZE') }
    expect(await reading(files, 'train.py')).toMatchObject({
      kind: 'unreadable',
      problems: [{ code: 'not-in-file', file: 'run.sh', line: 2 }],
    })
  })

  it('is started from the folder above the launcher’s', async () => {
    const files = { 'lab/train.py': script, 'lab/scripts/run.sh': run }
    expect((await trained(files, 'lab/train.py')).spec).toMatchObject({ microBatch: 24, gpus: 4 })
    expect((await trained(files, 'lab/scripts/run.sh')).spec).toMatchObject({ microBatch: 24, gpus: 4 })
  })

  it('is started by the end of a path of another machine', async () => {
    const elsewhere = run.replace('train.py', '/home/me/lab/code/train.py')
    expect((await trained({ 'code/train.py': script, 'run.sh': elsewhere }, 'code/train.py')).spec.microBatch).toBe(24)
    expect((await trained({ 'train.py': script, 'run.sh': elsewhere }, 'train.py')).spec.microBatch).toBe(8)
  })

  it('leaves adapters off for certain where its launcher does', async () => {
    const optional = script
      .replace('args = parser', 'parser.add_argument("--lora", action="store_true")\nargs = parser')
      .replace('arguments =', 'if args.lora:\n    model = get_peft_model(model, LoraConfig())\narguments =')
      .replace('import argparse', 'import argparse\nfrom peft import LoraConfig, get_peft_model')
    const said = async (files: Files) =>
      (await trained({ 'train.py': optional, ...files }, 'train.py')).assumptions.join()
    expect(await said({})).toContain('Adapters of the script are left off')
    expect(await said({ 'run.sh': run })).not.toContain('left off')
  })

  it('of another folder and another name is not started', async () => {
    const files = { 'train.py': script, 'run.sh': run.replace('train.py', 'other/train.py') }
    expect(await trained(files, 'train.py')).toMatchObject({ assumesGpus: true, spec: { microBatch: 8 } })
  })
})

test.each([
  ['-b 16', 16, 'amp-bf16'],
  ['--batch-size=16', 16, 'amp-bf16'],
  ['-b 4 -b 16', 16, 'amp-bf16'],
  ['--no-amp', 8, 'fp32'],
])('argparse takes %s as Python does', async (given, microBatch, precision) => {
  const files = { 'train.py': script, 'run.sh': `python train.py ${given}\n` }
  const { spec, assumesCode } = await trained(files, 'train.py')
  expect({ ...spec, assumesCode }).toMatchObject({ microBatch, precision, assumesCode: undefined })
})

describe('nothing blocks where a launch says what is not joined with the script', () => {
  const divided = 'distributed_type: FSDP\nnum_processes: 4\nfsdp_config: { fsdp_sharding_strategy: FULL_SHARD }\n'

  it.each([
    ['sharding in a file of Accelerate', 'accelerate launch --config_file acc.yaml train.py --batch-size 24\n'],
    ['a word without an option', 'python train.py large --batch-size 24\n'],
    ['an option cut short', 'python train.py --batch-size 24 --acc 4\n'],
  ])('%s', async (_, command) => {
    const files = { 'train.py': script, 'acc.yaml': divided, 'run.sh': command }
    for (const path of ['train.py', 'run.sh']) {
      expect(await trained(files, path)).toMatchObject({ assumesCode: true, spec: { microBatch: 24 } })
    }
  })
})

it('of a script with several trainings, each is read with the arguments', async () => {
  const text = `${script}Trainer(AutoModelForCausalLM.from_pretrained("gpt2-medium"), arguments).train()\n`
  const files = { 'train.py': text, 'run.sh': run }
  const { configs } = await report(files, ['train.py'])
  expect(configs.map(each => each.status === 'analysed' && [each.spec.model, each.spec.microBatch])).toEqual([
    ['openai-community/gpt2', 24],
    ['openai-community/gpt2-medium', 24],
  ])
})

it('bool of a text that is not empty is True to argparse', async () => {
  const text = script.replace('"--no-amp", action="store_false", dest="amp"', '"--amp", type=bool, default=False')
  const { spec } = await trained({ 'train.py': text, 'run.sh': 'python train.py --amp False\n' }, 'train.py')
  expect(spec.precision).toBe('amp-bf16')
})

describe('a launcher', () => {
  const files = { 'train.py': script, 'run.sh': run }

  it('is the place of a batch size that it passes, and of the change that is proposed', async () => {
    const { spec, batchSizeAt, assumesCode, otherFiles } = await trained(files, 'run.sh')
    expect(spec).toMatchObject({ microBatch: 24, gpus: 4, precision: 'amp-bf16' })
    expect({ batchSizeAt, assumesCode }).toEqual({ batchSizeAt: { line: 2, column: 16 }, assumesCode: undefined })
    expect(otherFiles?.map(({ path }) => path)).toContain('train.py')
    const accumulating = { ...files, 'run.sh': run.replace('--alpha 0.9', '--accumulate 4') }
    const [config] = (await report(accumulating, ['run.sh'])).configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    const { microBatch, gradientAccumulation } = config.recommended ?? config.spec
    const proposal = await proposeChange({ path: 'run.sh', text: accumulating['run.sh'] }, config, {
      sources: sourcesOf(accumulating),
    })
    const after = accumulating['run.sh']
      .replace('size 24', `size ${microBatch}`)
      .replace('accumulate 4', `accumulate ${gradientAccumulation}`)
    expect(proposal).toMatchObject({ kind: 'change', path: 'run.sh', after })
    expect(after).not.toBe(accumulating['run.sh'])
  })

  it('cites the script for what the script says', async () => {
    const { decisions, assumptions, why } = await explained(files, 'run.sh')
    expect(why).toBe('Trainer() on line 14 of train.py')
    expect(assumptions[0]).toBe('The training of train.py, line 14, is read with the arguments of torchrun on line 1.')
    expect(assumptions).toContain(
      '"gpt2" is the default of --model (line 5 of train.py), which the command line may override.',
    )
    const precision = decisions.find(({ setting }) => setting === 'model')?.from
    expect(precision).toMatchObject({ field: { file: 'train.py', at: { line: 5 } } })
  })

  it('that leaves the batch size to its script leaves the verdict to it', async () => {
    const left = { 'train.py': script, 'run.sh': 'torchrun --nproc_per_node 4 train.py --alpha 0.9\n' }
    expect(await reading(left, 'run.sh')).toMatchObject({
      kind: 'not-a-training-config',
      why: 'It starts train.py (line 1), which is checked with its arguments.',
    })
  })

  it('of scripts that start no training, or are not there, is read as before', async () => {
    const other = { 'train.py': 'print("--batch-size")\n', 'run.sh': run }
    expect((await reading(other, 'run.sh')).kind).toBe('not-a-training-config')
    expect((await reading({ 'run.sh': run }, 'run.sh')).kind).toBe('not-a-training-config')
  })

  it('of two different trainings is told which', async () => {
    const two = { ...files, 'run.sh': run + run.replace('24', '4') }
    expect(await reading(two, 'run.sh')).toMatchObject({
      kind: 'several-trainings',
      trainings: [
        { name: 'train.py', line: 1 },
        { name: 'train.py (2)', line: 3 },
      ],
    })
  })

  it('changed together with its script is one verdict', async () => {
    for (const paths of [
      ['run.sh', 'train.py'],
      ['train.py', 'run.sh'],
    ]) {
      expect((await report(files, paths)).configs.map(({ path }) => path)).toEqual(['run.sh'])
    }
    const several = { ...files, 'small.sh': run.replace('24', '4') }
    const all = await report(several, ['run.sh', 'small.sh', 'train.py'])
    expect(all.configs.map(({ path }) => path)).toEqual(['run.sh', 'small.sh', 'train.py'])
  })
})

describe('a script that is not followed', () => {
  const hiding = `from peft import LoraConfig, get_peft_model
from transformers import Trainer, TrainingArguments
from ours import options, load
args = options()
model = get_peft_model(load(args), LoraConfig(r=8))
Trainer(model, TrainingArguments("out", per_device_train_batch_size=args.per_device_train_batch_size)).train()
`
  const launch = 'python train.py --model_name_or_path gpt2 --per_device_train_batch_size 4'

  it('leaves no verdict to its arguments where it sets adapters itself', async () => {
    const read = await reading({ 'run.sh': launch, 'train.py': hiding }, 'run.sh')
    expect(read).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-in-file', line: 1 }] })
    expect(JSON.stringify(read)).toContain('train.py sets adapters or quantised weights itself (line 5)')
  })

  it('leaves no verdict to its arguments where it has a loop of its own', async () => {
    const loop = `from ours import options, load, own_optimizer, batches
model = load(options())
optimizer = own_optimizer(model)
for batch in batches():
    model(**batch).loss.backward()
    optimizer.step()
`
    const read = await reading({ 'run.sh': launch, 'train.py': loop }, 'run.sh')
    expect(read).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-in-file', line: 1 }] })
    expect(JSON.stringify(read)).toContain(
      'train.py trains by a loop of its own (line 5), in ways that are not followed',
    )
  })

  it('leaves no verdict to its arguments where each sample is several texts', async () => {
    const choosing = `from transformers import AutoModelForMultipleChoice
from ours import options, OwnTrainer
args = options()
OwnTrainer(AutoModelForMultipleChoice.from_pretrained(args.model_name_or_path), args).train()
`
    const read = await reading({ 'run.sh': launch, 'train.py': choosing }, 'run.sh')
    expect(read).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-in-file', line: 1 }] })
    expect(JSON.stringify(read)).toContain('train.py trains on several choices of each sample (line 1)')
  })

  it.each([
    ['its arguments say the adapters', `${launch} --use_peft --lora_r 8 --lora_target_modules c_attn`, hiding],
    ['it sets none', launch, hiding.replace(/get_peft_model\(load\(args\), .*/, 'load(args)')],
  ])('is judged by its arguments where %s', async (_, run, text) => {
    const read = await reading({ 'run.sh': run, 'train.py': text }, 'run.sh')
    expect(read).toMatchObject({ kind: 'training-config', spec: { microBatch: 4 }, assumesCode: true })
  })
})

async function explained(files: Files, path: string) {
  const explanation = await explainConfigAsync({ path, text: files[path] ?? '' }, sourcesOf(files))
  if (explanation.kind !== 'recognised') throw new Error(JSON.stringify(explanation))
  return explanation
}
