/** Whoever follows the advice gets what it promised, and is not sent further than it said. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { judging } from '../engine/analyze.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { findGpu } from '../engine/gpus/catalogue.ts'
import { proposeChange } from '../engine/propose.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'
import { Grid } from '../engine/search/grid.ts'

const cards = ['t4', 'a10', 'a100-80gb']
const grid = new Grid()
const corpus = fileURLToPath(new URL('../bench/configs/training/', import.meta.url))

const files = readdirSync(corpus, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(({ parentPath, name }) => path.join(parentPath, name))
  .map(file => ({ path: path.relative(corpus, file), text: readFileSync(file, 'utf8') }))

/** Analyses files on a card. What is recorded of a step serves every card, and the file as changed. */
function analyst(footprints: FootprintCache) {
  return async (file: SourceFile, gpuId: string): Promise<AnalysedConfig | undefined> => {
    const gpu = findGpu(gpuId)
    if (gpu === undefined) throw new Error(gpuId)
    const judged = await judging({ now: new Date('2026-03-01T12:00:00Z'), gpu }, footprints)(file)
    const [config] = judged.kind === 'configs' ? judged.results : []
    return config?.status === 'analysed' ? config : undefined
  }
}

/** Whether there was any advice to follow. */
async function follow(file: SourceFile, analysed: ReturnType<typeof analyst>, gpuId: string): Promise<boolean> {
  const before = await analysed(file, gpuId)
  if (before === undefined) return false
  const proposal = await proposeChange(file, before)
  if (proposal.kind !== 'change') return false
  const after = await analysed({ ...file, text: proposal.after }, gpuId)
  if (after === undefined) throw new Error(file.path)
  const { recommended, beyond, largest } = before
  const { fits, peakBytes, effectiveBatch } = after.current
  expect({ path: file.path, gpuId, fits, peakBytes, effectiveBatch }).toEqual({
    path: file.path,
    gpuId,
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
  return true
}

test('every config of the corpus, on three cards', async () => {
  const followed = new Map<string, number>()
  for (const file of files) {
    const analysed = analyst(new FootprintCache())
    for (const gpuId of cards)
      if (await follow(file, analysed, gpuId)) followed.set(gpuId, (followed.get(gpuId) ?? 0) + 1)
  }
  for (const gpuId of cards) expect(followed.get(gpuId), gpuId).toBeGreaterThan(5)
})
