/** Every shape of the catalogue against transformers, which builds it on the meta device. Needs MEMORYMARK_PYTHON. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { imageOfSample } from '../../engine/models/architecture.ts'
import { type CatalogueRow, catalogueRows } from '../../engine/models/catalogue.ts'
import { footprintOf, knownModel } from '../estimate/specs.ts'
import { hasTimm, python } from '../probes/python.ts'

/** The base class of encoders has no head of ours (their counts stand in parameters.test.ts); the code of the rest is elsewhere. */
const notBuilt = [
  'bert',
  'roberta',
  'xlm-roberta',
  'distilbert',
  'deberta-v2',
  'albert',
  'electra',
  'camembert',
  'modernbert',
  'yolo',
  'mimo',
  'moss_vl',
]
const isOfTimm = ({ config }: CatalogueRow) => config.model_type === 'gemma3n'
const isBuilt = (row: CatalogueRow) => !notBuilt.includes(row.config.model_type) && !isOfTimm(row)
const BUILD_TIMEOUT_MILLIS = 300_000

async function countedByTransformers(script: string, rows: readonly CatalogueRow[]): Promise<readonly number[]> {
  const file = fileURLToPath(new URL(script, import.meta.url))
  const running = promisify(execFile)(python, [file], { maxBuffer: 2 ** 24 })
  running.child.stdin?.end(JSON.stringify(rows.map(({ config }) => config)))
  const { stdout } = await running
  return z.array(z.number()).parse(JSON.parse(stdout))
}

async function expectTheSame(rows: readonly CatalogueRow[]): Promise<void> {
  const counts = await countedByTransformers('count-parameters.py', rows)
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

  test.skipIf(process.env.MEMORYMARK_PYTHON === undefined)(
    'makes as many tokens of an image of the only size',
    async () => {
      const rows = catalogueRows.filter(
        ({ config }) => ['gemma3', 'llava'].includes(config.model_type) && hasOneSize(config),
      )
      const ours = rows.map(({ ids: [id = ''] }) => imageOfSample(knownModel(id).config, anySize)?.tokens)
      expect(ours).toEqual(await countedByTransformers('count-image-tokens.py', rows))
      expect(ours).toContain(256)
    },
  )
})

const anySize = { height: 300, width: 700 }

function hasOneSize({ vision_config: vision }: CatalogueRow['config']): boolean {
  return z.object({ image_size: z.number() }).safeParse(vision).success
}
