import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { byteKinds } from '../../engine/estimate/tape/storage.ts'
import { methods } from '../../engine/plan/methods.ts'
import { provenance } from '../../engine/probes/trial.ts'
import { runPeak, throughputProvenance } from '../../engine/report/schema.ts'
import { tinyLlama } from '../models/tiny-llama.ts'
import { printedOfAnyEstimate } from './printed.ts'
import { run, Workspace } from './run-cli.ts'

/** What `--json` prints: these keys and no others. */
const summary = z.strictObject({
  ...printedOfAnyEstimate,
  provenance,
  fits: z.boolean(),
  reservedBytes: z.number().nullable(),
  breakdown: z.record(z.enum(byteKinds), z.number()),
  peaks: z.array(runPeak).nullable(),
  wasteBytes: z.number(),
  wastePercent: z.number(),
  largestBatch: z.number().nullable(),
  recommendedBatch: z.number().nullable(),
  recommendedAccumulation: z.number().nullable(),
  headroomBytes: z.number().nullable(),
  speedup: z.number(),
  throughputProvenance,
  savingsPerRunUsd: z.number(),
  savingsPerYearUsd: z.number(),
})

/** A model alone has these as well. */
const methodRow = summary
  .pick({
    spec: true,
    gpu: true,
    provenance: true,
    errorBandPercent: true,
    errorBand: true,
    fits: true,
    peakBytes: true,
  })
  .extend({
    method: z.enum(methods),
    largestBatch: z.number().nullable(),
    throughputProvenance,
    samplesPerSecond: z.number().nullable(),
    samplesPerSecondRange: z.object({ low: z.number(), high: z.number() }).nullable(),
  })
  .strict()
const modelSummary = summary.extend({ rows: z.array(methodRow) })

async function summaryOf(...args: string[]): Promise<z.infer<typeof summary>> {
  const { stdout, stderr } = await run('estimate', ...args, '--json')
  expect(stderr).toBe('')
  return summary.parse(JSON.parse(stdout))
}

async function modelSummaryOf(...args: string[]): Promise<z.infer<typeof modelSummary>> {
  const { stdout, stderr } = await run('estimate', ...args, '--json')
  expect(stderr).toBe('')
  return modelSummary.parse(JSON.parse(stdout))
}

describe.concurrent('estimate --json', () => {
  test.each([
    ['bert', 'google-bert/bert-base-uncased'],
    ['gpt2', 'openai-community/gpt2'],
    ['resnet', 'microsoft/resnet-50'],
  ])('knows %s as %s, and its bytes by kind add up to the peak', async (alias, id) => {
    const { model, breakdown, peakBytes, usableBytes, wasteBytes, wastePercent, provenance } =
      await modelSummaryOf(alias)
    expect(model).toBe(id)
    expect(provenance).toBe('estimated')
    expect(Object.values(breakdown).reduce((sum, bytes) => sum + bytes, 0)).toBe(peakBytes)
    expect(wasteBytes).toBe(usableBytes - peakBytes)
    expect(wastePercent).toBeCloseTo((100 * wasteBytes) / usableBytes, 9)
  })

  test('finds a largest batch of BERT on an A10 that is safe: the published 288 less at most the band', async () => {
    const { largestBatch, errorBand, spec } = await summaryOf('bert', '--step', 'forward-backward')
    const published = 288
    expect(largestBatch).toBeLessThanOrEqual(published)
    const sizeStep = 8
    expect(largestBatch).toBeGreaterThanOrEqual(published / (1 + errorBand.highPercent / 100) - sizeStep)
    expect(spec.sequenceLength).toBe(128)
  })

  test('has no largest batch where not one sample fits', async () => {
    expect(await modelSummaryOf('gpt2-xl', '--gpu', 't4')).toMatchObject({
      fits: false,
      wasteBytes: 0,
      largestBatch: null,
      recommendedBatch: null,
      headroomBytes: null,
    })
  })

  test('takes every flag into the spec', async () => {
    const flags = [
      '--batch-size 4 --gradient-accumulation 2 --sequence-length 256 --task sequence-classification --labels 5',
      '--optimizer sgd-momentum --precision bf16 --attention eager --gradient-checkpointing --padded --loop trainer',
    ]
    const { spec, gpu } = await summaryOf('gpt2', '--gpu', 'l4', ...flags.flatMap(line => line.split(' ')))
    expect(spec).toMatchObject({
      microBatch: 4,
      gradientAccumulation: 2,
      sequenceLength: 256,
      task: 'sequence-classification',
      labels: 5,
      optimizer: 'sgd-momentum',
      precision: 'bf16',
      attention: 'eager',
      gradientCheckpointing: true,
      paddedBatches: true,
      loop: 'trainer',
    })
    expect(gpu.id).toBe('l4')
  })

  test('reads a config, and flags change it', async () => {
    await using workspace = await Workspace.with({ 'a.yaml': 'memorymark:\n  model: gpt2\n  batch_size: 3\n' })
    const plain = await workspace.run('estimate', 'a.yaml', '--json')
    expect(summary.parse(JSON.parse(plain.stdout))).toMatchObject({ model: 'openai-community/gpt2', batchSize: 3 })
    const changed = await workspace.run('estimate', 'a.yaml', '--batch-size', '5', '--json')
    expect(summary.parse(JSON.parse(changed.stdout)).batchSize).toBe(5)
  })

  test('tells no default of a setting that a flag decides', async () => {
    const text =
      'model_name_or_path: gpt2\nper_device_train_batch_size: 2\nblock_size: 512\nfsdp: full_shard auto_wrap\n'
    await using workspace = await Workspace.with({ 'sharded.yaml': text })
    const plain = await workspace.run('estimate', 'sharded.yaml', '--json')
    expect(plain.stdout).toContain('8 GPUs: the config divides the training among several')
    const changed = await workspace.run('estimate', 'sharded.yaml', '--gpus', '2', '--json')
    expect(summary.parse(JSON.parse(changed.stdout)).assumptions.join()).not.toContain('8 GPUs')
  })
})

describe.concurrent('estimate of a model that the catalogue lacks', () => {
  test('reads the config.json of a folder', async () => {
    await using workspace = await Workspace.with({ 'models/tiny/config.json': tinyLlama })
    const { stdout, exitCode } = await workspace.run('estimate', 'models/tiny', '--json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      model: 'models/tiny',
      assumptions: expect.arrayContaining([
        'The model "models/tiny" is described by "models/tiny/config.json" in the repository.',
      ]),
    })
  })

  test('says which settings of the training are defaults', async () => {
    const { stdout } = await run('estimate', 'bert', '--precision', 'bf16', '--optimizer', 'sgd')
    expect(stdout).toContain(
      'Where no option says otherwise, its default: micro-batch 16 (--batch-size), a plain PyTorch loop (--loop), 128 tokens (--sequence-length).',
    )
    const all = ['--batch-size', '8', '--precision', 'bf16', '--optimizer', 'sgd', '--loop', 'plain']
    const whole = await run('estimate', 'bert', ...all, '--sequence-length', '64')
    expect(whole.stdout).not.toContain('Where no option says otherwise')
  })

  test('says what it assumes of a name', async () => {
    const { stdout, exitCode } = await run('estimate', 'acme/Llama-3.2-1B-support', '--batch-size', '1')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('is assumed to have the shape of meta-llama/Llama-3.2-1B, by its name')
  })

  test('refuses an architecture that is not supported', async () => {
    const { stderr, exitCode } = await run('estimate', 'mosaicml/mpt-7b')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('The architecture "mpt" of the model "mosaicml/mpt-7b" is not supported.')
  })
})

describe.concurrent('estimate refuses', () => {
  test.each([
    [['bert', '--batch-size', '0'], '--batch-size: "0" is not a whole number from 1 to 1,000,000'],
    [['bert', '--batch-size=-1'], '--batch-size: "-1" is not a whole number'],
    [['bert', '--batch-size', '-1'], 'Write a value that begins with a dash as --batch-size=-1.'],
    [['bert', '--batch-size', '1e9'], '--batch-size: "1e9" is not a whole number'],
    [['bert', '--batch-size', 'sixteen'], '--batch-size: "sixteen" is not a whole number'],
    [['bert', '--batch-size', '1.5'], '--batch-size: "1.5" is not a whole number'],
    [['bert', '--optimizer', 'admw'], '--optimizer: "admw" is not a value for --optimizer. Did you mean adamw?'],
    [['bert', '--task', 'sentence-similarity', '--sentence-columns', '1'], 'takes at least 2 texts of a sample, not 1'],
    [
      ['bert', '--task', 'sentence-similarity', '--sentence-loss', 'triplet', '--sentence-columns', '2'],
      '--sentence-columns: The loss triplet takes 3 texts of a sample, not 2',
    ],
    [['bert', '--task', 'causal-lm'], '--task: google-bert/bert-base-uncased has no causal-lm head here'],
    [['bert', '--sequence-length', '513'], 'google-bert/bert-base-uncased has 512 positions, fewer than 513'],
    [
      ['resnet', '--gradient-checkpointing'],
      '--gradient-checkpointing: transformers has no gradient checkpointing for resnet',
    ],
    [['bert-base-uncasd'], 'Unknown model "bert-base-uncasd". Did you mean bert-base-uncased?'],
    [['bert', 'gpt2'], 'more than one model or config is named'],
    [[], 'no model or config is named. Name one: a model such as bert'],
    [['.'], 'this is not a training config. Name a file that sets a batch size, or a model.'],
  ])('%j in one line', async (args, message) => {
    const { stdout, stderr, exitCode } = await run('estimate', ...args)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  })
})

test('estimate of one training says for people whether it fits, and judges nothing', async () => {
  const { stdout, exitCode } = await run('estimate', 'bert', '--batch-size', '1')
  expect(stdout).toMatch(/^fits google-bert\/bert-base-uncased\n {2}now +1 × 1 .* GiB/)
  expect(stdout).not.toMatch(/block|warning|policy|MemoryMark:/)
  expect(exitCode).toBe(0)
})

describe.concurrent('estimate of a model alone', () => {
  test('has a row for each method, with the smallest GPU that takes a sample', async () => {
    const { rows, gpu, spec } = await modelSummaryOf('Qwen/Qwen2.5-7B')
    expect(rows.map(({ method }) => method)).toEqual(['full', 'lora', 'qlora'])
    const [full, lora, qlora] = rows
    expect(spec).toMatchObject({ precision: 'amp-bf16', sequenceLength: 2_048, microBatch: 1 })
    // Where no GPU is named, the estimate of the first method is for the one that is assumed everywhere.
    expect([gpu.id, full?.gpu.id]).toEqual(['a10', 'h200'])
    expect(full?.spec).toEqual(spec)
    expect(lora?.spec).toMatchObject({ precision: 'bf16', lora: { rank: 16 } })
    expect(qlora?.spec).toMatchObject({ quantization: 'nf4-double' })
    for (const { fits, largestBatch, gpu, peakBytes } of [lora!, qlora!]) {
      expect(fits).toBe(true)
      expect(largestBatch).toBeGreaterThanOrEqual(1)
      expect(peakBytes).toBeLessThan(gpu.usableBytes)
    }
    expect(qlora!.gpu.usableBytes).toBeLessThan(lora!.gpu.usableBytes)
  })

  test('is a table for people, which says what was assumed', async () => {
    const { stdout } = await run('estimate', 'Qwen/Qwen2.5-7B')
    expect(stdout).toMatch(/^ +one sample takes +smallest GPU +largest batch +samples\/s at it$/m)
    expect(stdout).toMatch(/^QLoRA +\S+ GiB, (?:−\d+…\+|±)\d+ % +\S.* \d+ +[\d.]+–[\d.]+$/m)
    expect(stdout).toContain("Sequences of 2,048 tokens, LLaMA-Factory's and Unsloth's default")
    expect(stdout).toContain('memorymark plan Qwen/Qwen2.5-7B')
    expect(stdout).not.toMatch(/block|policy/)
  })

  test('goes by a GPU and a length that are named, and by fp16 where the GPU has no bf16', async () => {
    const { rows, gpu, spec } = await modelSummaryOf('gpt2', '--gpu', 't4', '--sequence-length', '512')
    expect(gpu.id).toBe('t4')
    expect(spec).toMatchObject({ sequenceLength: 512, precision: 'amp-fp16' })
    expect(rows.map(row => [row.gpu.id, row.spec.precision])).toEqual(rows.map(() => ['t4', 'amp-fp16']))
  })

  test('is answered on several GPUs too: memory of each, speed of all', async () => {
    const alone = await modelSummaryOf('gpt2', '--gpu', 'a10')
    const together = await modelSummaryOf('gpt2', '--gpu', 'a10', '--gpus', '4')
    expect(together.spec).toEqual({ ...alone.spec, gpus: 4 })
    expect(together.rows.map(({ method }) => method)).toEqual(['full', 'lora', 'qlora'])
    const { stdout } = await run('estimate', 'gpt2', '--gpus', '4', '--sharding', 'fsdp')
    expect(stdout).toMatch(/^openai-community\/gpt2 on 4 GPUs \(fsdp\): memory is estimated, speed is modelled\.$/m)
    expect(stdout).toMatch(/^ +one sample takes +smallest GPU +largest batch +samples\/s of all$/m)
  })

  test('has one row where adapters are not modelled', async () => {
    const { rows } = await modelSummaryOf('resnet')
    expect(rows.map(({ method }) => method)).toEqual(['full'])
  })
})

test('says why a batch does not fit that needs less than the GPU has: the allocator reserves more', async () => {
  const flags = '--task causal-lm --loop trainer --sequence-length 4096 --batch-size 16 --gradient-checkpointing'
  const more = '--gpu a100-80gb --precision bf16 --fused-loss --no-settings'
  const { stdout } = await run('estimate', 'mistralai/Mistral-7B-v0.1', ...`${flags} ${more}`.split(' '))
  expect(stdout).toContain('allocator')
  expect(stdout).not.toContain('0.00 GiB too much')
})
