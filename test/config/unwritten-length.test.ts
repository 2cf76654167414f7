/** A length of sequences that nobody wrote: it is assumed, it is said to be, and it never blocks. */
import { describe, expect, it } from 'vitest'
import { analyze } from '../../engine/analyze.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { advice } from '../../engine/render/advice.ts'
import type { AnalysedConfig } from '../../engine/report/schema.ts'
import { readSettings } from '../../engine/settings/read.ts'
import { noSettings } from '../../engine/settings/settings.ts'

/** So large that no length fits: only what was assumed can spare it. */
const BATCH = 4_096

const now = new Date('2026-01-01')

async function judged(path: string, text: string, settings?: string): Promise<AnalysedConfig> {
  const read = settings === undefined ? undefined : readSettings({ path: '.github/memorymark.yml', text: settings })
  if (read?.kind === 'unreadable') throw new Error(JSON.stringify(read.problems))
  const options = { now, gpu: defaultGpu, settings: read?.kind === 'settings' ? read.settings : noSettings }
  const [config, ...others] = (await analyze([{ path, text }], options)).configs
  if (config?.status !== 'analysed' || others.length > 0) throw new Error(JSON.stringify(config))
  return config
}

const decoder = 'AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")'
const masked = 'AutoModelForMaskedLM.from_pretrained("bert-large-uncased")'
const classifier = 'AutoModelForSequenceClassification.from_pretrained("bert-large-uncased")'
const encoderDecoder = 'AutoModelForSeq2SeqLM.from_pretrained("google/flan-t5-xl")'

const trainer = (above: string, model = decoder, batch = BATCH) =>
  `from transformers import (AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM,
  AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments)
${above}
model = ${model}
Trainer(model, TrainingArguments("out", per_device_train_batch_size=${batch}, bf16=True), train_dataset=Data()).train()
`
const sliced = `class Data:
    def __getitem__(self, index):
        return {"input_ids": ids[index][:512]}
`
const blocks = `def group(examples):
    joined = sum(examples["input_ids"], [])
    return {"input_ids": [joined[i : i + args.width] for i in range(0, len(joined), args.width)]}
`
const collated = `def collate(rows):
    longest = max(len(row) for row in rows)
    return pad(rows, longest)
`
const grpo = `from trl import GRPOConfig, GRPOTrainer
args = GRPOConfig("out", per_device_train_batch_size=${BATCH}, bf16=True)
GRPOTrainer(model="Qwen/Qwen3-8B", args=args, reward_funcs=score, train_dataset=data).train()
`
const withoutLength: readonly (readonly [what: string, text: string])[] = [
  ['ids that are sliced', trainer(sliced)],
  ['blocks of a width from elsewhere', trainer(blocks)],
  ['a collator of its own', trainer(collated)],
  ['a tokeniser that cuts nothing', trainer('tokenizer = AutoTokenizer.from_pretrained("gpt2")\ntokenizer(text)')],
  ['masks', trainer(sliced, masked)],
  ['classes', trainer(sliced, classifier)],
  ['sequences from sequences', trainer(sliced, encoderDecoder)],
  ['prompts of any length', grpo],
]

describe('a script that leaves the length of its sequences to its data', () => {
  it.each(withoutLength)('is never blocked: %s', async (_, text) => {
    const config = await judged('train.py', text)
    expect(config.current.fits).toBe(false)
    expect(config.assumed).toEqual(['length'])
    expect(config.verdict).toEqual({ state: 'warning', reasons: [{ kind: 'does-not-fit', spared: 'assumed' }] })
    expect(advice(config).join(' ')).toContain('To say how long they are, set sequence_length for this path')
  })

  it('is not blocked for what it wastes either, whatever the model and the batch', async () => {
    const accumulating = ', gradient_accumulation_steps=64'
    const texts = [sliced, blocks, collated].flatMap(above =>
      [decoder, masked, classifier, encoderDecoder].flatMap(model =>
        [1, 16, 512].map(batch => trainer(above, model, batch).replace(', bf16=True', `, bf16=True${accumulating}`)),
      ),
    )
    const states = new Set<string>()
    for (const text of texts) states.add((await judged('train.py', text)).verdict.state)
    expect([...states]).not.toContain('blocked')
    expect(states).toContain('warning')
  })

  it.each(withoutLength)('is blocked once the settings say it: %s', async (_, text) => {
    const settings = 'overrides:\n  - path: train.py\n    sequence_length: 512\n'
    const { assumed, verdict } = await judged('train.py', text, settings)
    expect({ assumed, state: verdict.state }).toEqual({ assumed: undefined, state: 'blocked' })
  })
})

describe('a length that is written, or that a tool decides', () => {
  it.each([
    ['the tokeniser cuts', trainer('tokenizer(text, truncation=True, max_length=512)')],
    ['a block size', trainer('block_size = 512')],
    [
      "TRL's own",
      `from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", per_device_train_batch_size=${BATCH}, bf16=True)
SFTTrainer(model="Qwen/Qwen3-8B", args=args, train_dataset=data).train()
`,
    ],
  ])('blocks as ever: %s', async (_, text) => {
    const { assumed, verdict } = await judged('train.py', text)
    expect({ assumed, state: verdict.state }).toEqual({ assumed: undefined, state: 'blocked' })
  })

  it('is the example scripts’ for a file of their arguments', async () => {
    const text = `model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: ${BATCH}\nbf16: true\nnum_gpus: 1\n`
    expect((await judged('clm.yaml', text)).verdict.state).toBe('blocked')
  })
})
