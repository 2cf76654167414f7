/**
 * Whether the advice is the one that helped: public reports of running out of memory whose answer is known, each as its set-up says
 * it, and the levers that were accepted there. A report counts if one of them is among our first three. Where a report leaves a
 * setting open, the default of its tool at the time is written. Fails below 25 in 30.
 */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { leversOf } from '../engine/advice/advise.ts'
import { readConfigAsync } from '../engine/config/read.ts'
import type { Field } from '../engine/config/section.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { findGpu } from '../engine/gpus/catalogue.ts'
import { leverIds } from '../engine/report/advised-levers.ts'

const GOAL = 25 / 30
const FIRST = 3

const reports = z
  .array(
    z.object({
      link: z.url(),
      /** Of our catalogue. */
      gpu: z.string(),
      /** That train together. */
      gpus: z.number().int().positive(),
      path: z.string(),
      /** In the keys of its tool, or in our own where the tool is not read. */
      config: z.record(z.string(), z.unknown()),
      /** What the thread ends with: any of these. */
      accepted: z.array(z.enum(leverIds)).min(1),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('./advice/reports.json', import.meta.url), 'utf8')))

let hits = 0
for (const { link, gpu: id, gpus, path, config, accepted } of reports) {
  const told = await firstLevers(id, gpus, { path, text: `${JSON.stringify(config, null, 2)}\n` })
  const isHit = told.some(changes => changes.some(change => accepted.some(lever => lever === change)))
  if (isHit) hits++
  const shown = told.map(changes => changes.join(' + ')).join(', ')
  console.log(`${isHit ? 'yes' : 'no '}  ${link}\n     accepted: ${accepted.join(' or ')}; ours: ${shown || 'nothing'}`)
}
console.log(`\n${hits} of ${reports.length}: the accepted lever is among our first three.`)
process.exitCode = hits >= reports.length * GOAL ? 0 : 1

/** None where we would say that it fits. @throws Error for a report that is written wrong. */
async function firstLevers(id: string, gpus: number, file: { readonly path: string; readonly text: string }) {
  const gpu = findGpu(id)
  const supplied = { gpus: numberField('gpus', gpus) }
  const reading = await readConfigAsync(file, {}, supplied)
  if (gpu === undefined || reading.kind !== 'training-config') {
    throw new Error(`${file.text}cannot be read: ${JSON.stringify(gpu === undefined ? id : reading)}`)
  }
  const levers = await leversOf(file, reading, { gpu, footprints: new FootprintCache(), supplied })
  return levers.slice(0, FIRST).map(({ changes }) => changes)
}

function numberField(key: string, number: number): Field {
  return {
    key,
    name: key,
    value: { kind: 'number', number },
    source: String(number),
    at: { line: 1, column: 1 },
    file: 'settings',
  }
}
