/** Estimates of LitGPT's own models, adapters and losses against traces of them (bench/litgpt/trace.py). */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readConfig } from '../../engine/config/read.ts'
import { beyondTorch, derivationOf } from '../../engine/estimate/error-band.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import { knownModel } from './specs.ts'

const cells = z
  .array(
    z.object({
      model: z.string(),
      /** Its checkpoint. */
      hub: z.string(),
      precision: z.string(),
      quantize: z.string().optional(),
      microBatch: z.number(),
      tokens: z.number(),
      accumulation: z.number(),
      lora: z.record(z.string(), z.union([z.number(), z.boolean()])).optional(),
      peakBytes: z.number(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('../../bench/litgpt/traced.json', import.meta.url), 'utf8')))
type Cell = (typeof cells)[number]

/** The config as LitGPT takes it. A trace has no bitsandbytes, whose paged state is not on the GPU. */
function specOf({ hub, precision, quantize, microBatch, tokens, accumulation, lora }: Cell) {
  const text = JSON.stringify({
    checkpoint_dir: `checkpoints/${hub}`,
    precision,
    ...(quantize && { quantize }),
    ...(lora ?? { resume: false }),
    train: { global_batch_size: microBatch * accumulation, micro_batch_size: microBatch, max_seq_length: tokens },
  })
  const reading = readConfig({ path: 'litgpt.yaml', text })
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return { ...reading.spec, optimizer: 'adamw' as const }
}

describe('the peak of a step that LitGPT trains', () => {
  const methods = new Set(cells.map(({ quantize, lora }) => (quantize ? 'qlora' : lora ? 'lora' : 'full')))
  const models = new Set(cells.map(({ hub }) => hub))

  it('was traced for adapters, quantised weights and full training of many architectures', () => {
    expect([...methods].toSorted()).toEqual(['full', 'lora', 'qlora'])
    expect(models.size).toBeGreaterThanOrEqual(12)
    expect(cells.length).toBeGreaterThanOrEqual(90)
  })

  it.each([...models])('is within 3 ‰ of its trace: %s', hub => {
    for (const cell of cells.filter(each => each.hub === hub)) {
      const estimated = new Footprint(specOf(cell), knownModel(hub).config).peak(cell.microBatch, 0).bytes
      const percent = 100 * (estimated / cell.peakBytes - 1)
      expect(Math.abs(percent), `${percent.toFixed(3)} % in ${JSON.stringify(cell)}`).toBeLessThan(0.3)
    }
  })
})

it('is told by the estimate alone, and the report says what it was compared with', () => {
  const [cell] = cells
  if (cell === undefined) throw new Error('no cells')
  const spec = specOf(cell)
  expect(beyondTorch(spec)).toBe("LitGPT's own models")
  expect(derivationOf(spec, knownModel(cell.hub).config)).toEqual([
    expect.stringMatching(/^The step is counted from LitGPT's source code/),
  ])
})
