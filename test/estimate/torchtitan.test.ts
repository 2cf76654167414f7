/** Estimates of torchtitan's own models and parallelisms against runs of them on the CPU (bench/torchtitan/trace.py). */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readConfigAsync } from '../../engine/config/read.ts'
import { beyondTorch, derivationOf } from '../../engine/estimate/error-band.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { ModelConfig } from '../../engine/models/architecture.ts'
import { trainedBy } from '../config/readings.ts'
import { knownModel } from './specs.ts'

const setting = z.union([z.string(), z.number(), z.boolean()])

const cells = z
  .array(
    z.object({
      /** Of torchtitan's TransformerModelArgs. */
      model: z.object({
        dim: z.number(),
        n_layers: z.number(),
        n_heads: z.number(),
        n_kv_heads: z.number().optional(),
        vocab_size: z.number(),
        multiple_of: z.number(),
        ffn_dim_multiplier: z.number().optional(),
      }),
      gpus: z.number(),
      accumulation: z.number().default(1),
      settings: z.record(z.string(), setting),
      peakBytes: z.number(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('../../bench/torchtitan/traced.json', import.meta.url), 'utf8')))
type Cell = (typeof cells)[number]

const llama = knownModel('meta-llama/Llama-3.1-8B').config

/** torchtitan/models/llama3/model/model.py FeedForward */
function innerOf({ dim, multiple_of: multiple, ffn_dim_multiplier: factor = 1 }: Cell['model']): number {
  return multiple * Math.ceil(Math.floor(factor * Math.floor((2 * 4 * dim) / 3)) / multiple)
}

function configOf({ model }: Cell): ModelConfig {
  return {
    ...llama,
    vocab_size: model.vocab_size,
    hidden_size: model.dim,
    intermediate_size: innerOf(model),
    num_hidden_layers: model.n_layers,
    num_attention_heads: model.n_heads,
    num_key_value_heads: model.n_kv_heads ?? model.n_heads,
    head_dim: model.dim / model.n_heads,
  } as ModelConfig
}

/** The config as torchtitan takes it, with every degree written, so that they say how many GPUs there are. */
async function specOf({ settings, gpus, accumulation }: Cell) {
  const degree = (name: string) => Number(settings[`parallelism.${name}`] ?? 1)
  const shard = settings['parallelism.data_parallel_shard_degree']
  const copies = gpus / degree('tensor_parallel_degree')
  const all = {
    'model.flavor': '8B',
    'training.global_batch_size': Number(settings['training.local_batch_size']) * copies * accumulation,
    ...settings,
    'parallelism.data_parallel_shard_degree': shard ?? copies / degree('data_parallel_replicate_degree'),
  }
  // A table may have several headers in no TOML, so that its keys come together.
  const tables = Object.groupBy(Object.entries(all), ([path]) => path.split('.')[0] ?? '')
  const text = Object.entries(tables).map(([table, entries = []]) => {
    const lines = entries.map(([path, value]) => `${path.slice(table.length + 1)} = ${JSON.stringify(value)}\n`)
    return `[${table}]\n${lines.join('')}`
  })
  return trainedBy(await readConfigAsync({ path: 'cell.toml', text: text.join('') }, {})).spec
}

describe('the peak of a step that torchtitan trains', () => {
  it('was traced with every kind of checkpointing and sharing', () => {
    const said = JSON.stringify(cells)
    for (const mode of ['"none"', '"full"', '"op"', '"2"', 'tensor_parallel', 'replicate_degree', 'loss_parallel'])
      expect(said).toContain(mode)
    expect(cells.length).toBeGreaterThanOrEqual(50)
  })

  it.each(cells)('is within 3 ‰ of its trace, or 1 % with tensor parallelism: $gpus GPUs, $settings', async cell => {
    const spec = await specOf(cell)
    expect(spec).toMatchObject({ gpus: cell.gpus, gradientAccumulation: cell.accumulation })
    const percent = 100 * (new Footprint(spec, configOf(cell)).peak(spec.microBatch, 0).bytes / cell.peakBytes - 1)
    expect(Math.abs(percent), `${percent.toFixed(3)} %`).toBeLessThan(spec.tensorParallel === undefined ? 0.3 : 1)
  })
})

it('is told by the estimate alone, and the report says what it was compared with', async () => {
  const [cell] = cells
  if (cell === undefined) throw new Error('no cells')
  const spec = await specOf(cell)
  expect(beyondTorch(spec)).toBe("torchtitan's own models")
  expect(derivationOf(spec, llama)).toContainEqual(
    expect.stringMatching(/^The step is counted from torchtitan's source/),
  )
})
