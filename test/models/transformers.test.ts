/** Every shape of the catalogue against transformers, which builds it on the meta device. Needs MEMORYMARK_PYTHON. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { convolutionalRows } from '../../engine/models/catalogue/convolutional-rows.ts'
import { gemma3nRows, gemmaRows } from '../../engine/models/catalogue/gemma-rows.ts'
import { llmRows } from '../../engine/models/catalogue/llm-rows.ts'
import { mambaRows } from '../../engine/models/catalogue/mamba-rows.ts'
import type { ModelRow } from '../../engine/models/catalogue/model-row.ts'
import { moeRows } from '../../engine/models/catalogue/moe-rows.ts'
import { multimodalRows } from '../../engine/models/catalogue/multimodal-rows.ts'
import { newerMultimodalRows } from '../../engine/models/catalogue/newer-multimodal-rows.ts'
import { seq2seqRows } from '../../engine/models/catalogue/seq2seq-rows.ts'
import { visionRows } from '../../engine/models/catalogue/vision-rows.ts'
import { footprintOf } from '../estimate/specs.ts'
import { hasTimm, python } from '../probes/python.ts'

const script = fileURLToPath(new URL('count-parameters.py', import.meta.url))
const rows = [
  ...visionRows,
  ...llmRows,
  ...moeRows,
  ...convolutionalRows,
  ...mambaRows,
  ...multimodalRows,
  ...gemmaRows,
  ...newerMultimodalRows,
  ...seq2seqRows,
]
const BUILD_TIMEOUT_MILLIS = 300_000

async function countedByTransformers(rows: readonly ModelRow[]): Promise<readonly number[]> {
  const running = promisify(execFile)(python, [script], { maxBuffer: 2 ** 24 })
  running.child.stdin?.end(JSON.stringify(rows.map(({ config }) => config)))
  const { stdout } = await running
  return z.array(z.number()).parse(JSON.parse(stdout))
}

async function expectTheSame(rows: readonly ModelRow[]): Promise<void> {
  const counts = await countedByTransformers(rows)
  const theirs = rows.map(({ ids }, index) => [ids[0], counts[index]])
  const ours = rows.map(({ ids: [id = ''] }) => [id, footprintOf(id).parameterCount])
  expect(ours).toEqual(theirs)
}

describe('transformers', { timeout: BUILD_TIMEOUT_MILLIS }, () => {
  test.skipIf(process.env.MEMORYMARK_PYTHON === undefined)('counts the same parameters for every shape', () =>
    expectTheSame(rows),
  )

  test.skipIf(!hasTimm)('counts the same parameters for every shape with a tower of timm', () =>
    expectTheSame(gemma3nRows),
  )
})
