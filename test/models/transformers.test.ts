/** Every shape of the catalogue against transformers, which builds it on the meta device. Needs MEMORYMARK_PYTHON. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { convolutionalRows } from '../../engine/models/catalogue/convolutional-rows.ts'
import { gemmaRows } from '../../engine/models/catalogue/gemma-rows.ts'
import { llmRows } from '../../engine/models/catalogue/llm-rows.ts'
import { mambaRows } from '../../engine/models/catalogue/mamba-rows.ts'
import { moeRows } from '../../engine/models/catalogue/moe-rows.ts'
import { multimodalRows } from '../../engine/models/catalogue/multimodal-rows.ts'
import { newerMultimodalRows } from '../../engine/models/catalogue/newer-multimodal-rows.ts'
import { newerRows } from '../../engine/models/catalogue/newer-rows.ts'
import { seq2seqRows } from '../../engine/models/catalogue/seq2seq-rows.ts'
import { visionRows } from '../../engine/models/catalogue/vision-rows.ts'
import { footprintOf } from '../estimate/specs.ts'

const python = process.env.MEMORYMARK_PYTHON
const script = fileURLToPath(new URL('count-parameters.py', import.meta.url))
const rows = [
  ...visionRows,
  ...llmRows,
  ...newerRows,
  ...moeRows,
  ...convolutionalRows,
  ...mambaRows,
  ...multimodalRows,
  ...gemmaRows,
  ...newerMultimodalRows,
  ...seq2seqRows,
]
const BUILD_TIMEOUT_MILLIS = 300_000

async function countedByTransformers(interpreter: string): Promise<readonly number[]> {
  const running = promisify(execFile)(interpreter, [script], { maxBuffer: 2 ** 24 })
  running.child.stdin?.end(JSON.stringify(rows.map(({ config }) => config)))
  const { stdout } = await running
  return z.array(z.number()).parse(JSON.parse(stdout))
}

describe.skipIf(python === undefined)('transformers', () => {
  test(
    'counts the same parameters for every shape',
    async () => {
      const counts = await countedByTransformers(python ?? '')
      const theirs = rows.map(({ ids }, index) => [ids[0], counts[index]])
      const ours = rows.map(({ ids: [id = ''] }) => [id, footprintOf(id).parameterCount])
      expect(ours).toEqual(theirs)
    },
    BUILD_TIMEOUT_MILLIS,
  )
})
