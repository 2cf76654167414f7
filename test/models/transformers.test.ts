/** Every shape of the catalogue against transformers, which builds it on the meta device. Needs MEMORYMARK_PYTHON. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type CatalogueRow, catalogueRows } from '../../engine/models/catalogue.ts'
import { footprintOf } from '../estimate/specs.ts'
import { hasTimm, python } from '../probes/python.ts'

const script = fileURLToPath(new URL('count-parameters.py', import.meta.url))
/** The base class of encoders has no head of ours (their counts stand in parameters.test.ts); the code of the rest is elsewhere. */
const notBuilt = ['bert', 'roberta', 'xlm-roberta', 'distilbert', 'modernbert', 'yolo', 'mimo', 'moss_vl']
const isOfTimm = ({ config }: CatalogueRow) => config.model_type === 'gemma3n'
const isBuilt = (row: CatalogueRow) => !notBuilt.includes(row.config.model_type) && !isOfTimm(row)
const BUILD_TIMEOUT_MILLIS = 300_000

async function countedByTransformers(rows: readonly CatalogueRow[]): Promise<readonly number[]> {
  const running = promisify(execFile)(python, [script], { maxBuffer: 2 ** 24 })
  running.child.stdin?.end(JSON.stringify(rows.map(({ config }) => config)))
  const { stdout } = await running
  return z.array(z.number()).parse(JSON.parse(stdout))
}

async function expectTheSame(rows: readonly CatalogueRow[]): Promise<void> {
  const counts = await countedByTransformers(rows)
  const theirs = rows.map(({ ids }, index) => [ids[0], counts[index]])
  const ours = rows.map(({ ids: [id = ''] }) => [id, footprintOf(id).parameterCount])
  expect(ours).toEqual(theirs)
}

describe('transformers', { timeout: BUILD_TIMEOUT_MILLIS }, () => {
  test.skipIf(process.env.MEMORYMARK_PYTHON === undefined)('counts the same parameters for every shape', () =>
    expectTheSame(catalogueRows.filter(isBuilt)),
  )

  test.skipIf(!hasTimm)('counts the same parameters for every shape with a tower of timm', () =>
    expectTheSame(catalogueRows.filter(isOfTimm)),
  )
})
