/** Every shape of the catalogue against transformers, which builds it on the meta device. Needs MEMORYMARK_PYTHON. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { gemma3nRows, gemmaRows } from '../../engine/models/catalogue/gemma-multimodal-rows.ts'
import { imageClassifierRows } from '../../engine/models/catalogue/image-classifier-rows.ts'
import { lfm2Rows } from '../../engine/models/catalogue/lfm2-rows.ts'
import { llamaMultimodalRows } from '../../engine/models/catalogue/llama-multimodal-rows.ts'
import { llmRows } from '../../engine/models/catalogue/llm-rows.ts'
import { mambaRows } from '../../engine/models/catalogue/mamba-rows.ts'
import { mistralMultimodalRows } from '../../engine/models/catalogue/mistral-multimodal-rows.ts'
import type { ModelRow } from '../../engine/models/catalogue/model-row.ts'
import { moeRows } from '../../engine/models/catalogue/moe-rows.ts'
import { qwenMultimodalRows } from '../../engine/models/catalogue/qwen-multimodal-rows.ts'
import { seq2seqRows } from '../../engine/models/catalogue/seq2seq-rows.ts'
import { visionLanguageRows } from '../../engine/models/catalogue/vision-language-rows.ts'
import { footprintOf } from '../estimate/specs.ts'
import { hasTimm, python } from '../probes/python.ts'

const script = fileURLToPath(new URL('count-parameters.py', import.meta.url))
const rows = [
  ...imageClassifierRows,
  ...llmRows,
  ...moeRows,
  ...lfm2Rows,
  ...mambaRows,
  ...visionLanguageRows,
  ...gemmaRows,
  ...qwenMultimodalRows,
  ...mistralMultimodalRows,
  ...llamaMultimodalRows,
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
