/** What the snippets write, MemoryMark's own reader reads back as the row that they are of. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../engine/config/read.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu, type SpeedyGpu } from '../../engine/gpus/catalogue.ts'
import { UndividedSteps } from '../../engine/plan/bound.ts'
import { isUnwritten } from '../../engine/plan/snippets/snippet.ts'
import { snippetFor } from '../../engine/plan/snippets/writers.ts'
import { arrangedSpec, strategiesFor, type Tool, toolOf } from '../../engine/plan/strategy.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'
import { type Fillable, fillable } from './tool-configs.ts'

const h100 = findGpu('h100') as SpeedyGpu

async function read({ path, model }: Fillable, files: ReadonlyMap<string, string>) {
  const readFile = async (name: string) => files.get(name)
  const listFolder = async (folder: string) => (folder === '.' ? [...files.keys()] : [])
  const value = { kind: 'text', text: model ?? '' } as const
  const field = { key: 'model', name: 'model', value, source: 'model', at: { line: 1, column: 1 }, file: 'settings' }
  const reading = await readConfigAsync(
    { path, text: files.get(path) ?? '' },
    { readFile, listFolder },
    model === undefined ? {} : { model: field },
  )
  if (reading.kind !== 'training-config') throw new Error(`${reading.kind}: ${JSON.stringify(reading)}`)
  return reading
}

/** The config with a batch of its own, in place of the snippet's. */
function plain(config: Fillable) {
  return read(config, new Map([[config.path, config.filled()]]))
}

/** For a person to fill in. */
const place = /<(?:first server|this server|servers)>/g

const cases = Object.entries(fillable).flatMap(([name, config]) => [1, 2, 8, 16].map(gpus => ({ name, config, gpus })))

describe.each(cases)('$name on $gpus GPUs', ({ config, gpus }) => {
  it('is read back as each row: its sharding, batch, precision and memory', async () => {
    const { spec, model, dialect, batchSizeName: batchSetting } = await plain(config)
    const tool = toolOf(dialect)
    const footprints = new FootprintCache()
    const { path } = config
    const strategies = strategiesFor(spec, gpus, tool)
    if (tool !== 'litgpt') expect(strategies.length).toBeGreaterThan(0)
    for (const strategy of strategies) {
      const plan = { microBatch: 2, gradientAccumulation: 4 }
      const gradientCheckpointing = takesCheckpointing(tool, path) || spec.gradientCheckpointing
      const planned = { ...arrangedSpec({ ...spec, gradientCheckpointing }, { strategy, gpus }, tool), ...plan }
      const row = { ...plan, strategy, gpus, gradientCheckpointing, spec: planned, config: path, batchSetting }
      const written = snippetFor(row, tool)
      if (isUnwritten(written)) {
        expect([tool, strategy]).not.toEqual(['loop', 'ddp'])
        expect(written.why).toMatch(/ in a loop of its own is code/)
        continue
      }
      const command = written.command.replace(place, '0')
      const files = new Map(written.files.map(file => [file.path, `${file.text}\n`]))
      const lines = written.files.find(file => file.path === path)?.text
      files.set('run.sh', `${command}\n`)
      if (path.endsWith('.sh')) files.delete('run.sh')
      files.set(path, config.filled(lines, command))
      const again = await read(config, files)
      const { sharding = 'ddp', precision, microBatch, gradientAccumulation } = planned
      expect(again.spec).toMatchObject({ gpus, precision, microBatch, gradientAccumulation, gradientCheckpointing })
      expect(again.spec.sharding ?? 'ddp').toBe(sharding)
      expect(again.spec.inFloat16).toBe(planned.inFloat16)
      const peak = (of: typeof spec) =>
        new EstimateProbe(footprints.of(of, model.config, h100), h100).peak(microBatch).bytes
      expect(peak(again.spec)).toBe(peak(planned))
    }
  })
})

/** Tools in whose config a snippet says it; others keep what the config or the code says. */
function takesCheckpointing(tool: Tool, path: string): boolean {
  return ['trainer', 'axolotl', 'torchtune', 'llamafactory', 'ms-swift', 'verl'].includes(tool) && path !== 'ds.json'
}

it('a row that a tool has no lines for says why', async () => {
  const row = {
    strategy: 'fsdp',
    gpus: 8,
    microBatch: 1,
    gradientAccumulation: 1,
    gradientCheckpointing: false,
  } as const
  const { spec } = await plain(fillable["TRL's script"]!)
  const why = (config: string, tool: Tool) => snippetFor({ ...row, spec, config }, tool)
  expect(why('train.py', 'loop')).toEqual({
    why: 'FSDP in a loop of its own is code, which wraps the model: no setting says it.',
  })
  expect(why('train.ipynb', 'trainer')).toMatchObject({ why: expect.stringContaining('save it as a script') })
  expect(why('own.yaml', 'other')).toMatchObject({ why: expect.stringContaining('not written for this format') })
})

describe('what a strategy needs at the least', () => {
  it.each(Object.entries(fillable))('is no more than it is estimated to need: %s', async (_, config) => {
    const reading = await plain(config)
    needsNoLess(reading, toolOf(reading.dialect))
  })

  function needsNoLess({ spec, model }: Awaited<ReturnType<typeof read>>, tool: Tool): void {
    const undivided = new UndividedSteps(model.config)
    const footprints = new FootprintCache()
    for (const gpus of [1, 2, 16]) {
      for (const strategy of strategiesFor(spec, gpus, tool)) {
        for (const gradientAccumulation of [1, 4]) {
          const arranged = { ...arrangedSpec(spec, { strategy, gpus }, tool), gradientAccumulation }
          const bound = undivided.of(arranged, h100).bytes({ strategy, gpus }, 4)
          const probe = new EstimateProbe(footprints.of(arranged, model.config, h100), h100)
          expect(bound, `${strategy} on ${gpus}`).toBeLessThanOrEqual(probe.peak(4).bytes)
          const rate = undivided.of(arranged, h100).samplesPerSecond(h100, 4)
          expect(rate * 1.001, `${strategy} on ${gpus}`).toBeGreaterThanOrEqual(
            probe.samplesPerSecond(4, gradientAccumulation) ?? 0,
          )
        }
      }
    }
  }
})
