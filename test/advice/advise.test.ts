/** The truth check: the lines that a lever tells, applied and read again, are the config that was estimated. */
import { describe, expect, test } from 'vitest'
import { leversOf } from '../../engine/advice/advise.ts'
import { estimated } from '../../engine/advice/estimate.ts'
import { withLines } from '../../engine/advice/replaced-lines.ts'
import { huggingface } from '../../engine/advice/tools/huggingface.ts'
import type { SuppliedFields } from '../../engine/config/fields/supplied.ts'
import { readConfigAsync } from '../../engine/config/read.ts'
import type { FieldValue } from '../../engine/config/text/section.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { advisedLever } from '../../engine/report/advised-levers.ts'
import type { LibraryVersions } from '../../engine/training/versions.ts'
import type { ToolConfig } from './configs/tool-config.ts'
import { toolConfigs } from './configs.ts'

/** As a team's settings name a model. */
function suppliedFor({ model, gpus }: ToolConfig): SuppliedFields {
  const field = (key: string, value: FieldValue, source: string) =>
    ({ key, name: key, value, source, at: { line: 1, column: 1 }, file: 'settings' }) as const
  return {
    ...(model !== undefined && { model: field('model', { kind: 'text', text: model }, model) }),
    ...(gpus !== undefined && { gpus: field('gpus', { kind: 'number', number: gpus }, String(gpus)) }),
  }
}

/** Once a config: three tests look at the same levers. */
const known = new Map<ToolConfig, ReturnType<typeof advise>>()

function advised(config: ToolConfig): ReturnType<typeof advise> {
  const begun = known.get(config) ?? advise(config)
  known.set(config, begun)
  return begun
}

async function advise(config: ToolConfig) {
  const { file, gpu: id } = config
  const supplied = suppliedFor(config)
  const reading = await readConfigAsync(file, {}, supplied)
  const gpu = findGpu(id)
  if (reading.kind !== 'training-config' || gpu === undefined) throw new Error(JSON.stringify(reading))
  const on = { gpu, footprints: new FootprintCache(), config: reading.model.config }
  return { reading, on, levers: await leversOf(file, reading, { ...on, supplied }), now: estimated(reading.spec, on) }
}

describe.each(toolConfigs.map(config => [config.tool, config] as const))('the levers of %s', (_, config) => {
  test('are those that its keys can say', async () => {
    const { levers, now } = await advised(config)
    expect(now.fit).not.toBe('fits')
    const offered = new Set(levers.flatMap(({ changes }) => changes))
    expect([...offered]).toEqual(expect.arrayContaining([...config.offers]))
    for (const lever of levers) expect(() => advisedLever.parse(lever)).not.toThrow()
  })

  test('come with the lines that make them, and nothing but them', async () => {
    const { reading, on, levers } = await advised(config)
    const { text, path } = config.file
    let withLinesOfItsOwn = 0
    for (const lever of levers.filter(({ gpu }) => gpu === undefined)) {
      if (lever.lines.length === 0) {
        expect(lever.environment).toBeDefined()
        continue
      }
      withLinesOfItsOwn++
      for (const { line, before } of lever.lines) expect(text.split('\n')[line - 1]).toBe(before)
      const again = await readConfigAsync({ path, text: withLines(text, lever.lines) }, {}, suppliedFor(config))
      if (again.kind !== 'training-config') throw new Error(JSON.stringify(again))
      const { spec } = again
      expect(spec).not.toEqual(reading.spec)
      // Half as many groups of GPUs take twice as many micro-steps.
      const groups = lever.changes.some(id => /^(?:tensor|context)-parallel$/.test(id)) ? 1 / 2 : 1
      expect(spec.microBatch * spec.gradientAccumulation * groups).toBe(
        reading.spec.microBatch * reading.spec.gradientAccumulation,
      )
      const environment = lever.environment === undefined ? {} : { expandableSegments: true as const }
      const { peakBytes, fit } = estimated({ ...spec, ...environment }, on)
      expect({ changes: lever.changes, peakBytes, fit }).toEqual({
        changes: lever.changes,
        peakBytes: lever.peakBytes,
        fit: lever.fit,
      })
    }
    expect(withLinesOfItsOwn).toBeGreaterThan(0)
  })

  test('name no change that is not needed', async () => {
    const { levers } = await advised(config)
    const enough = levers.filter(({ fit }) => fit === 'fits').map(({ changes }) => changes)
    for (const changes of enough) {
      const fewer = enough.filter(other => other.length < changes.length && other.every(id => changes.includes(id)))
      expect(fewer).toEqual([])
    }
  })
})

test('torchtune divides matrices by a plan for them, without which it does not start', async () => {
  const config = toolConfigs.find(({ tool }) => tool === 'torchtune, divided by FSDP')
  const { levers } = config ? await advised(config) : { levers: [] }
  const divided = levers.filter(({ changes }) => changes.includes('tensor-parallel'))
  expect(divided.length).toBeGreaterThan(0)
  for (const { lines } of divided) {
    const added = lines.flatMap(({ after }) => after).join('\n')
    expect(added).toMatch(/^tensor_parallel_plan: .*torchtune\.models\.llama3\.base_llama_tp_plan/m)
  }
})

test('Axolotl divides no tokens of several packed rows, which it refuses', async () => {
  const divided = async (rows: number) => {
    const config = toolConfigs.find(({ tool }) => tool === 'Axolotl over several GPUs')
    if (config === undefined) throw new Error('no such config')
    const text = config.file.text.replace('micro_batch_size: 1', `micro_batch_size: ${rows}`)
    const { levers } = await advise({ ...config, file: { ...config.file, text } })
    return levers.filter(({ changes }) => changes.includes('context-parallel'))
  }
  expect((await divided(1)).length).toBeGreaterThan(0)
  expect((await divided(2)).filter(({ microBatch }) => microBatch > 1)).toEqual([])
})

test('where no combination surely fits, those that may fit are told', async () => {
  const text = [
    'model_name_or_path: Qwen/Qwen2.5-7B',
    'per_device_train_batch_size: 4',
    'gradient_accumulation_steps: 4',
    'max_length: 8192',
    'bf16: true',
    'output_dir: out',
  ].join('\n')
  const file = { path: 'sft.yaml', text: `${text}\n` }
  const { levers } = await advised({ tool: 'Hugging Face Trainer', file, gpu: 'a100-80gb', offers: [] })
  const [best] = levers
  expect(levers.some(({ fit }) => fit === 'fits')).toBe(false)
  expect(best).toMatchObject({ fit: 'may-fit', effect: 'none' })
  expect(best?.changes).toEqual(expect.arrayContaining(['gradient-checkpointing', 'paged-optimizer']))
})

test('trl#5472: Qwen2.5-0.5B with the defaults of that SFT does not fit an L4, and with a fused loss it takes 8 GiB', async () => {
  const sft = (given: string) =>
    [
      'from trl import SFTConfig, SFTTrainer',
      `trainer = SFTTrainer(model="Qwen/Qwen2.5-0.5B", args=SFTConfig(${given}), train_dataset=data)`,
      'trainer.train()\n',
    ].join('\n')
  const advisedFor = (given: string) =>
    advised({ tool: 'TRL', file: { path: 'sft.py', text: sft(given) }, gpu: 'l4', offers: [] })
  const { levers, now } = await advisedFor('output_dir="out", loss_type="nll"')
  const [first] = levers
  expect(now.fit).not.toBe('fits')
  expect(first).toMatchObject({ changes: ['fused-loss'], fit: 'fits', effect: 'none' })
  expect((first?.peakBytes ?? 0) / 2 ** 30).toBeCloseTo(8.1, 1)
  expect(first?.lines[0]?.after.join('\n')).toContain('SFTConfig(use_liger_kernel=True, output_dir="out"')
  // Since TRL 1.7 the loss comes in chunks by default.
  expect((await advisedFor('output_dir="out"')).now.fit).toBe('fits')
})

test.each([
  ['4.1.1', []],
  ['4.19.4', ['zero-3']],
  ['4.44.2', ['zero-3', 'fsdp']],
  ['4.45.0', ['zero-3', 'fsdp', 'fused-loss']],
])('the Trainer of transformers %s is told arguments that it has', async (version, expected) => {
  const text = 'model_name_or_path: gpt2\nper_device_train_batch_size: 8\n'
  const reading = await readConfigAsync({ path: 'clm.yaml', text }, {})
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  const spec = { ...reading.spec, versions: { transformers: version } }
  const asked = { spec, gpu: findGpu('a10')!, plan: reading.spec, has: () => false }
  const ids = ['zero-3', 'fsdp', 'fused-loss'] as const
  expect(ids.filter(id => huggingface[id]?.(asked) !== undefined)).toEqual(expected)
})

test("TRL's SFT of a transformers without Liger's kernels has an argument of its own", async () => {
  const text = 'model_name_or_path: gpt2\nper_device_train_batch_size: 8\npacking: false\n'
  const reading = await readConfigAsync({ path: 'sft.yaml', text }, {})
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  const liger = (versions: LibraryVersions) =>
    huggingface['fused-loss']?.({
      gpu: findGpu('a10')!,
      plan: reading.spec,
      has: key => key === 'packing',
      spec: { ...reading.spec, versions },
    })
  expect(liger({ transformers: '4.44.2', trl: '0.10.1' })).toEqual([{ keys: ['use_liger'], value: true }])
  expect(liger({ transformers: '4.44.2', trl: '0.9.6' })).toBeUndefined()
})

test("TRL's own loss in chunks is offered where a config asks for all logits", async () => {
  const text = [
    ...['model_name_or_path: Qwen/Qwen2.5-0.5B', 'dataset_name: trl-lib/Capybara', 'use_peft: true', 'lora_r: 16'],
    ...['lora_target_modules: [q_proj, v_proj]', 'per_device_train_batch_size: 8', 'bf16: true', 'loss_type: nll\n'],
  ].join('\n')
  const { levers } = await advised({ tool: 'TRL', file: { path: 'sft.yaml', text }, gpu: 't4', offers: [] })
  const chunked = levers.find(({ changes }) => changes.join() === 'chunked-loss')
  expect(chunked).toMatchObject({ fit: 'fits', effect: 'none' })
  expect(chunked?.lines.map(({ after }) => after.join('\n'))).toEqual(['loss_type: chunked_nll'])
})

test('a card is the cheapest of the catalogue on which the config fits as it is', async () => {
  const { levers, reading, on } = await advised(toolConfigs.find(({ tool }) => tool === 'Axolotl') ?? never())
  const card = levers.find(({ changes }) => changes.includes('another-card'))?.gpu
  const { gpus, hasBfloat16 } = await import('../../engine/gpus/catalogue.ts')
  const cheaper = gpus.filter(
    gpu => gpu.priceCaveat === undefined && hasBfloat16(gpu) && gpu.pricePerHourUsd < (card?.pricePerHourUsd ?? 0),
  )
  expect(card).toBeDefined()
  expect(cheaper.filter(gpu => estimated(reading.spec, { ...on, gpu }).fit === 'fits')).toEqual([])
})

test('Ultralytics accumulates beyond its nominal batch only if told, and then decays weights otherwise', async () => {
  const text = 'model: yolov8s.pt\ndata: coco.yaml\nepochs: 100\nimgsz: 640\nbatch: 120\n'
  const { levers } = await advised({ tool: '', gpu: 't4', offers: [], file: { path: 'yolo.yaml', text } })
  const smaller = levers.find(({ changes }) => changes.join() === 'micro-batch')
  expect(smaller?.effect).toBe('changes-the-result')
  expect(smaller?.lines.flatMap(({ after }) => after)).toContain('nbs: 120')
})

test('a smaller micro-batch leaves a training as it is only where no layer normalises by the batch', async () => {
  const effectFor = async (tool: string) =>
    (await advised(toolConfigs.find(config => config.tool === tool) ?? never())).levers.find(
      ({ changes }) => changes.join() === 'micro-batch',
    )?.effect
  expect(await effectFor('Hugging Face JSON on one line')).toBe('none')
  expect(await effectFor('timm')).toBe('changes-the-result')
})

test('no combination is estimated once the time is up, and each lever alone is told', async () => {
  const { file, gpu } = toolConfigs.find(({ tool }) => tool === 'Axolotl') ?? never()
  const { reading, on, levers } = await advised({ tool: '', file, gpu, offers: [] })
  const together = levers.filter(({ changes }) => changes.length > 1)
  expect(together).not.toEqual([])
  const alone = await leversOf(file, reading, { ...on, isTimeUp: () => true })
  expect(alone).toEqual(levers.filter(lever => !together.includes(lever)))
})

function never(): never {
  throw new Error('no such config')
}
