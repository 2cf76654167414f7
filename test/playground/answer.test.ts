/** What the page answers, held against what the command line says of the same file. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { adviseFile } from '../../engine/advise.ts'
import { analyze } from '../../engine/analyze.ts'
import { formatGib } from '../../engine/base/units.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu, type Gpu } from '../../engine/gpus/catalogue.ts'
import { plainProblem } from '../../engine/render/plain.ts'
import { type Answer, type AnswerWithLevers, answer } from '../../playground/answer.ts'
import { example, type Question } from '../../playground/question.ts'

const now = new Date('2026-01-01T00:00:00Z')
const configs = fileURLToPath(new URL('../../bench/configs/training/', import.meta.url))

function a10(): Gpu {
  const gpu = findGpu('a10')
  if (gpu === undefined) throw new Error('the catalogue lost the A10')
  return gpu
}

function asked(values: Question['values'], terms: Question['terms'] = {}): Promise<AnswerWithLevers> {
  return answer({ values: { source: 'config', gpu: 'a10', ...values }, terms }, now)
}

async function leversFor(values: Question['values']): Promise<string> {
  const { levers } = await asked(values)
  if (levers === undefined) throw new Error('no levers are looked for')
  return textOf({ html: await levers() })
}

function textOf({ html }: Pick<Answer, 'html'>): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
}

describe('the same engine as the command line', () => {
  test.each([
    'huggingface/zephyr-qlora.yaml',
    'axolotl/llama-qlora.yml',
    'llamafactory/lora-sft.yaml',
    'torchtune/llama-8b-lora.yaml',
    'lightning/bert.yaml',
    'timm/resnet50.yaml',
    'python/qlora-sft.py',
    'python/grpo.py',
  ])('%s: every figure and the verdict', async path => {
    const text = readFileSync(configs + path, 'utf8')
    const report = await analyze([{ path, text }], { now, gpu: a10() })
    const shown = await asked({ config: text, fileName: path })
    const [config] = report.configs
    if (config?.status !== 'analysed') throw new Error(`${path} is not analysed`)
    expect(shown.kind).toBe('result')
    const words = textOf(shown)
    expect(words).toContain(formatGib(config.current.peakBytes))
    expect(words).toContain({ blocked: 'Would block', warning: 'Warning', fine: 'Fine' }[config.verdict.state])
    for (const point of [config.recommended, config.largest]) {
      if (point !== undefined) expect(words).toContain(formatGib(point.peakBytes).replace(' GiB', ''))
    }
    for (const sentence of config.assumptions) expect(words).toContain(sentence.replaceAll(/\s+/g, ' '))
  })

  test.each([
    ['not a config', 'config.yaml', 'name: CI\non: push\n'],
    ['a mistake in YAML', 'config.yaml', 'model_name_or_path: gpt2\nper_device_train_batch_size: [1\n'],
    [
      'a model that nobody knows',
      'config.yaml',
      'model_name_or_path: nobody/knows-this\nper_device_train_batch_size: 4\n',
    ],
    ['a number that is none', 'config.yaml', 'model_name_or_path: gpt2\nper_device_train_batch_size: many\n'],
  ])('%s is refused in its words', async (_, fileName, config) => {
    const report = await analyze([{ path: fileName, text: config }], { now, gpu: a10() })
    const refused = await asked({ config, fileName })
    expect(refused.kind).toBe('refused')
    const [judged] = report.configs
    const problems = judged?.status === 'not-analysed' ? judged.problems : []
    for (const problem of problems) {
      expect(textOf(refused)).toContain(plainProblem(problem).replaceAll(/\s+/g, ' '))
    }
    expect(textOf(refused)).toContain(
      problems.length === 0 ? 'this is not a training config' : 'No result for config.yaml',
    )
  })
})

describe('what does not fit', () => {
  test.each(['axolotl/llama-qlora.yml', 'llamafactory/lora-sft.yaml'])('of %s: every lever that helps', async path => {
    const text = readFileSync(configs + path, 'utf8').replace(/(batch_size: *)\d+/, '$1512')
    const found = await adviseFile({ path, text }, { now, gpu: a10() }, new FootprintCache())
    const words = await leversFor({ config: text, fileName: path })
    const [best] = found
    expect(best?.fit).toBe('fits')
    expect(words).toContain(`${formatGib(best?.peakBytes ?? 0).replace(' GiB', '')} (`)
    for (const { after } of best?.lines ?? [])
      for (const line of after) expect(words).toContain(line.trim().replaceAll(/\s+/g, ' '))
  })

  test('of a model alone, in the keys of a config of our own', async () => {
    const words = await leversFor({ source: 'model', model: 'meta-llama/Llama-2-7b-hf' })
    expect(words).toContain('QLoRA instead of full fine-tuning')
    expect(words).toContain('+ quantization: nf4')
  })

  test('is told none where settings beside the text were changed', async () => {
    const config = readFileSync(`${configs}axolotl/llama-qlora.yml`, 'utf8')
    expect(await leversFor({ config, fileName: 'a.yml', microBatch: '512' })).toBe('')
  })
})

describe('the form', () => {
  test('that is wrong says which field', async () => {
    const refused = await asked({ config: '' })
    expect(refused).toMatchObject({ kind: 'refused', inputs: ['config'] })
    expect(textOf(refused)).toContain('no config is given')
    expect(await asked({ config: 'a: 1', gpus: 'x', fileName: 'a.exe' })).toMatchObject({ inputs: ['gpus'] })
  })

  test('takes a model alone', async () => {
    const shown = await answer(
      { values: { source: 'model', model: 'bert', gpu: 'a10', microBatch: '32' }, terms: {} },
      now,
    )
    expect(shown).toMatchObject({ kind: 'result', title: 'google-bert/bert-base-uncased on NVIDIA A10' })
    expect(textOf(shown)).toContain('micro-batch 32 × 1')
  })

  test('takes the number of GPUs over what the config leaves open', async () => {
    const shown = await asked({ config: example.values.config ?? '', gpus: '4' })
    expect(textOf(shown)).toContain('times 4 GPUs')
  })

  test('takes the price, the hours and the runs', async () => {
    const config = example.values.config ?? ''
    const shown = textOf(await asked({ config }, { price: '10', hours: '3', runs: '7' }))
    expect(shown).toContain('instead of $30')
    expect(shown).toContain('$10.00 an hour (your setting')
  })
})

test('markup in a config stays text', async () => {
  const shown = await asked({
    config: 'model_name_or_path: <img src=x onerror=alert(1)>\nper_device_train_batch_size: 4\n',
  })
  expect(shown.html).not.toContain('<img')
  expect(shown.html).toContain('&lt;img')
})

test('a script that starts several trainings asks for one of them', async () => {
  const config = readFileSync(`${configs}python/several.py`, 'utf8')
  const several = await asked({ config, fileName: 'several.py' })
  const [, line] = /several\.py:(\d+)/.exec(textOf(several)) ?? []
  expect(several.kind).toBe('refused')
  expect((await asked({ config, fileName: `several.py:${line}` })).kind).toBe('result')
})
