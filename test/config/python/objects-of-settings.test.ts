/** Settings that reach a training through objects: several in one Namespace, fields of a class that one call fills. */
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { trained } from './scripts.ts'

const collator = (calls: string, join: string) => `from argparse import Namespace
from dataclasses import dataclass
from transformers import AutoModelForCausalLM, AutoTokenizer, HfArgumentParser, Trainer, TrainingArguments
@dataclass
class Lengths:
    source: int = 384
    target: int = 128
@dataclass
class Collator:
    source_len: int
    target_len: int
    def __call__(self, rows):
        source = tokenizer([row[0] for row in rows], max_length=self.source_len, truncation=True)
        target = tokenizer([row[1] for row in rows], max_length=self.target_len, truncation=True)
        return [${join} for a, b in zip(source, target)]
(lengths,) = HfArgumentParser((Lengths,)).parse_args_into_dataclasses()
args = Namespace(**vars(lengths), seed=3)
tokenizer = AutoTokenizer.from_pretrained("gpt2")
collators = [${calls}]
arguments = TrainingArguments("out", per_device_train_batch_size=4)
Trainer(model=AutoModelForCausalLM.from_pretrained("gpt2"), args=arguments, data_collator=collators[0]).train()
`
const one = 'Collator(source_len=args.source, target_len=args.target)'

describe('the length of a prompt and its answer', () => {
  it('is the sum where the code joins what it cut apart', async () => {
    const { spec, assumptions } = await trained(collator(one, 'source_ids + target_ids'))
    expect(spec.sequenceLength).toBe(512)
    expect(assumptions.join()).toContain('prompts are cut to 384 and answers to 128')
  })

  it('is not the sum where nothing joins them', async () => {
    expect((await trained(collator(one, 'a'))).spec.sequenceLength).toBe(384)
  })

  it('is not known where two calls fill the class differently', async () => {
    const text = collator(`${one}, Collator(source_len=64, target_len=args.target)`, 'source_ids + target_ids')
    await expect(trained(text)).rejects.toThrow('Collator.source_len has no default')
  })
})

const loading = (load: string) => `from modelscope import AutoModelForCausalLM, snapshot_download
from accelerate import Accelerator
from transformers import Trainer, TrainingArguments
model = ${load}
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=4)).train()
`

describe('a model', () => {
  it.each([
    'AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")',
    'AutoModelForCausalLM.from_pretrained(snapshot_download("Qwen/Qwen2.5-0.5B", cache_dir="/data"))',
    'Accelerator().prepare_model(AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B"))',
  ])('is found in %s', async load => {
    expect((await trained(loading(load))).model.id).toBe('Qwen/Qwen2.5-0.5B')
  })

  it('is that of the caller in a folder below', async () => {
    const training = `from transformers import Trainer, TrainingArguments
def fit(model):
    Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=4)).train()
`
    const caller = `from transformers import AutoModelForCausalLM
from tuning.training import fit
fit(AutoModelForCausalLM.from_pretrained("gpt2"))
`
    const path = 'src/tuning/training.py'
    const files: Readonly<Record<string, string>> = { 'src/tuning/cli/tune.py': caller, [path]: training }
    const reading = await readConfigAsync(
      { path, text: training },
      {
        readFile: async name => files[name],
        listFolder: async folder =>
          Object.keys(files).flatMap(name => (posix.dirname(name) === folder ? posix.basename(name) : [])),
      },
    )
    expect(reading).toMatchObject({ kind: 'training-config', model: { family: 'gpt2' } })
  })
})
