/** Whoever follows the advice gets what it promised, and is not sent further than it said. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { analyze } from '../engine/analyze.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import { findGpu } from '../engine/gpus/catalogue.ts'
import { proposeChange } from '../engine/propose.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'
import { Grid } from '../engine/search/grid.ts'

const grid = new Grid()
const corpus = fileURLToPath(new URL('../bench/configs/training/', import.meta.url))

const files = readdirSync(corpus, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(({ parentPath, name }) => path.join(parentPath, name))
  .map(file => ({ path: path.relative(corpus, file), text: readFileSync(file, 'utf8') }))

async function analysed(file: SourceFile, gpuId: string): Promise<AnalysedConfig | undefined> {
  const gpu = findGpu(gpuId)
  if (gpu === undefined) throw new Error(gpuId)
  const { configs } = await analyze([file], { now: new Date('2026-03-01T12:00:00Z'), gpu })
  return configs[0]?.status === 'analysed' ? configs[0] : undefined
}

describe.each(['t4', 'a10', 'a100-80gb'])('on the %s', gpuId => {
  test('every config of the corpus', async () => {
    let followed = 0
    for (const file of files) {
      const before = await analysed(file, gpuId)
      if (before === undefined) continue
      const proposal = await proposeChange(file, before)
      if (proposal.kind !== 'change') continue
      const after = await analysed({ ...file, text: proposal.after }, gpuId)
      if (after === undefined) throw new Error(file.path)
      const { recommended, beyond, largest } = before
      const { fits, peakBytes, effectiveBatch } = after.current
      expect({ path: file.path, fits, peakBytes, effectiveBatch }).toEqual({
        path: file.path,
        fits: true,
        peakBytes: recommended?.peakBytes,
        effectiveBatch: recommended?.effectiveBatch,
      })
      expect(after.current.samplesPerSecond).toBeCloseTo(recommended?.samplesPerSecond ?? Number.NaN, 6)
      const { microBatch, gradientAccumulation } = beyond ?? after.current
      expect(after.recommended, file.path).toMatchObject({ microBatch, gradientAccumulation })
      // A config's own size counts as the largest also off the grid, and is not its own any more.
      const isOnGrid = largest === undefined || grid.at(grid.indexOf(largest.microBatch)) === largest.microBatch
      if (isOnGrid) expect(after.largest?.microBatch, file.path).toBe(largest?.microBatch)
      // What another effective batch would bring beyond was told at once, and only warns; so does a setting that nobody understood.
      const mayWarn = beyond !== undefined || before.unreadSettings !== undefined
      expect(mayWarn ? ['fine', 'warning'] : ['fine'], file.path).toContain(after.verdict.state)
      followed++
    }
    expect(followed).toBeGreaterThan(5)
  })
})
