/** `memorymark plan` as people and scripts call it. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { reportedGpu } from '../../engine/report/schema.ts'
import { trainingSpec } from '../../engine/training/spec.ts'
import { run, Workspace } from './run-cli.ts'

const range = z.strictObject({ low: z.number(), high: z.number() })

const row = z.strictObject({
  gpu: reportedGpu,
  gpus: z.number(),
  strategy: z.string(),
  gradientCheckpointing: z.boolean(),
  microBatch: z.number(),
  gradientAccumulation: z.number(),
  effectiveBatch: z.number(),
  peakBytes: z.number(),
  errorBand: z.strictObject({ lowPercent: z.number(), highPercent: z.number() }),
  provenance: z.literal('estimated'),
  samplesPerSecond: z.number(),
  samplesPerSecondRange: range,
  throughputProvenance: z.literal('modelled'),
  usdPerMillionSamples: z.number(),
  usdPerMillionSamplesRange: range,
  run: z.strictObject({ hours: z.number(), hoursRange: range, costUsd: z.number(), costRangeUsd: range }).optional(),
  spec: trainingSpec,
  lines: z
    .strictObject({
      files: z.array(z.strictObject({ path: z.string(), text: z.string() })),
      command: z.string(),
      notes: z.array(z.string()).optional(),
    })
    .nullable(),
  unwritten: z.string().optional(),
})

/** What `--json` prints: these keys and no others. */
const summary = z.strictObject({
  model: z.string(),
  effectiveBatch: z.number(),
  samplesPerRun: z.number().nullable(),
  sections: z.array(
    z.strictObject({
      method: z.enum(['full', 'lora', 'qlora']).nullable(),
      rows: z.array(row),
      closest: z.unknown().nullable(),
      problem: z.unknown().nullable(),
    }),
  ),
  unplanned: z.array(z.string()),
  assumptions: z.array(z.string()),
})

const trainer =
  'model_name_or_path: gpt2\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 4\nbf16: true\nblock_size: 512\n'

describe.concurrent('plan', () => {
  test('--json has every row of a model, a section for each way of training it', async () => {
    const { stdout, stderr, exitCode } = await run('plan', 'gpt2', '--gpus', 'a10,l40s', '--max-gpus', '2', '--json')
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    const { sections, effectiveBatch } = summary.parse(JSON.parse(stdout))
    expect(sections.map(({ method }) => method)).toEqual(['full', 'lora', 'qlora'])
    expect(effectiveBatch).toBe(64)
    for (const { rows } of sections) {
      expect(rows.length).toBeGreaterThan(1)
      expect(new Set(rows.map(({ gpu }) => gpu.id))).toEqual(new Set(['a10', 'l40s']))
    }
    expect(sections[0]?.rows.find(({ gpus }) => gpus === 1)?.spec).toMatchObject({
      sequenceLength: 1_024,
      precision: 'amp-bf16',
    })
    expect(sections[2]?.rows[0]?.spec).toMatchObject({ precision: 'bf16', quantization: 'nf4-double' })
  })

  test('prints a table of a config, and the lines of the row that is asked for', async () => {
    await using workspace = await Workspace.with({ 'train.yaml': trainer })
    const args = ['plan', 'train.yaml', '--gpus', 'l40s', '--max-gpus', '4', '--samples-per-run', '100000']
    const { stdout, stderr } = await workspace.run(...args, '--write', '2')
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^ +2 +\d × NVIDIA L40S .* GiB \(\d+ %\), −\d+…\+\d+ % .*\$/m)
    expect(stdout).toContain('Every row keeps 16 samples per optimizer step')
    expect(stdout).toContain('$ a run')
    expect(stdout).toContain('Row 2 as lines of config')
    expect(stdout).toContain('# train.yaml\nper_device_train_batch_size: ')
    expect(stdout).toContain('$ accelerate launch --config_file accelerate.yaml')
  })

  test.each([
    ['a100', true],
    ['8x a100', true],
    ['V100', true],
    ['a100-80gb', false],
    ['h100', false],
    ['l40s', false],
  ])('says which of two cards it took where the name leaves it open: %s', async (cards, isOpen) => {
    await using workspace = await Workspace.with({ 'train.yaml': trainer })
    const { stdout } = await workspace.run('plan', 'train.yaml', '--gpus', cards, '--max-gpus', '1')
    const other = cards === 'V100' ? 'v100-32gb' : 'a100-80gb'
    expect(/is taken for the NVIDIA \w+ \d+ GB; it may be/.test(stdout)).toBe(isOpen)
    if (isOpen) expect(stdout).toContain(`(gpu: ${other})`)
  })

  test('takes the length of a run from the settings, with the GPU and the prices of the team', async () => {
    const settings = 'gpu: a10\nhours_per_run: 4\nprices: {l40s: 0.10}\n'
    await using workspace = await Workspace.with({ 'train.yaml': trainer, '.github/memorymark.yml': settings })
    const { stdout, stderr } = await workspace.run(
      'plan',
      'train.yaml',
      '--gpus',
      'a10,l40s',
      '--max-gpus',
      '1',
      '--json',
    )
    expect(stderr).toBe('')
    const { sections, samplesPerRun } = summary.parse(JSON.parse(stdout))
    expect(samplesPerRun).toBeGreaterThan(0)
    expect(sections[0]?.rows[0]).toMatchObject({ gpu: { id: 'l40s', pricePerHourUsd: 0.1 }, run: {} })
  })

  test.each(['2x a10', '2×A10', 'a10:2', 'a10x2', '2 * a10', '2x a10, 2x a10'])(
    'takes a number of a card with its name, as people write them: %s',
    async written => {
      const { stdout } = await run('plan', 'gpt2', '--gpus', written, '--method', 'full', '--json', '--top', '100')
      const { sections } = summary.parse(JSON.parse(stdout))
      const rows = sections.flatMap(({ rows }) => rows)
      expect(new Set(rows.map(({ gpu }) => gpu.id))).toEqual(new Set(['a10']))
      expect(Math.max(...rows.map(({ gpus }) => gpus))).toBe(2)
    },
  )

  test('tells in a line what each way of sharing is and costs', async () => {
    const { stdout } = await run('plan', 'gpt2', '--gpus', '2x a10', '--method', 'full')
    const text = stdout.replace(/\s+/g, ' ')
    expect(text).toMatch(/ZeRO-1: the GPUs divide the optimizer's numbers instead of each holding all\. You pay: /)
    expect(text).not.toContain('ZeRO-3:')
  })

  test('takes cards with spaces between them', async () => {
    const { stdout } = await run('plan', 'gpt2', '--gpus', 'a10 l4', '--max-gpus', '1', '--method', 'full', '--json')
    const rows = summary.parse(JSON.parse(stdout)).sections.flatMap(section => section.rows)
    expect(new Set(rows.map(({ gpu }) => gpu.id))).toEqual(new Set(['a10', 'l4']))
  })

  test('says what comes closest where nothing fits, and exits with 1', async () => {
    const args = ['plan', 'meta-llama/Llama-3.1-70B', '--gpus', 'a10', '--max-gpus', '2', '--method', 'full']
    const { stdout, exitCode } = await run(...args)
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/Nothing fits\. Closest: 2 × NVIDIA A10 with \S+, one sample at a time, takes [\d.]+ GiB/)
  })

  test.each([
    [['plan', 'gpt2', '--gpus', 'h10'], 'Did you mean'],
    [['plan', 'gpt2', '--gpus', '8'], '--gpus names cards here'],
    [['plan', 'gpt2', '--gpus', '1-8'], '--max-gpus 8 for how many'],
    [['plan', 'gpt2', '--gpus', '4090'], 'Did you mean rtx-4090?'],
    [['plan', 'gpt2', '--gpus', '8x a101'], '"a101" is not a GPU'],
    [['plan', 'gpt2', '--gpus', '8x a10,4x h100'], 'gives several numbers of GPUs'],
    [['plan', 'gpt2', '--method', 'lorra'], 'Did you mean lora?'],
    [['plan', 'resnet', '--method', 'lora'], 'Use --method full.'],
    [['plan', 'gpt2', '--hours-per-run', '3'], 'Add --gpu'],
    [['plan', 'gpt2', '--gpus', 'a10', '--max-gpus', '1', '--write', '999'], 'there is no row 999'],
    [['plan'], 'no model or config is named'],
    [['plan', 'gpt2', '--framework', 'tensorflow.js'], 'can only be run, not estimated'],
  ])('refuses %j with what to do', async (args, text) => {
    const { stderr, exitCode } = await run(...args)
    expect(stderr).toContain(text)
    expect(exitCode).toBe(2)
  })
})
