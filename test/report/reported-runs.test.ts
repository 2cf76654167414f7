/**
 * Public reports of runs that died besides in a training step, each as its set-up says it: the moment at which it died
 * certainly does not fit, its step does, and with what helped, the moment fits. Where a report leaves a setting open, it is named
 * under `assumed`.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { analyze } from '../../engine/analyze.ts'
import { GIB } from '../../engine/base/units.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { runPhases } from '../../engine/report/schema.ts'
import { libraryVersions } from '../../engine/training/versions.ts'

const config = z.record(z.string(), z.unknown())
const reports = z
  .array(
    z.strictObject({
      link: z.url(),
      opened: z.iso.date(),
      gpu: z.string(),
      /** Of a card that the catalogue does not have, in place of the memory of `gpu`. */
      memoryGib: z.number().optional(),
      versions: libraryVersions.optional(),
      config: config.optional(),
      /** The lines of a script, where no config can say it. */
      script: z.array(z.string()).optional(),
      died: z.enum(runPhases),
      /** Keys that replace the config's, or other versions; absent where the thread tells of none. */
      remedy: z.strictObject({ versions: libraryVersions.optional(), config: config.optional() }).optional(),
      assumed: z.array(z.string()),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('./reported-runs.json', import.meta.url), 'utf8')))

type RunReport = (typeof reports)[number]

/** Whether each known moment of the run fits. */
async function statesOf({
  gpu: id,
  ...report
}: Pick<RunReport, 'gpu' | 'memoryGib' | 'versions' | 'config' | 'script'>) {
  const known = findGpu(id)
  if (known === undefined) throw new Error(id)
  const { memoryGib = known.totalBytes / GIB } = report
  const gpu = { ...known, id: `${id}-of-${memoryGib}-gib`, totalBytes: memoryGib * GIB }
  const pinned = Object.entries(report.versions ?? {}).map(([library, version]) => `${library}==${version}\n`)
  const file =
    report.script === undefined
      ? { path: 'train.json', text: JSON.stringify(report.config, null, 2) }
      : { path: 'train.py', text: `${report.script.join('\n')}\n` }
  const sources = {
    readFile: async (path: string) => (path === 'requirements.txt' ? pinned.join('') : undefined),
    listFolder: async (folder: string) => (folder === '.' ? ['requirements.txt', file.path] : []),
  }
  const { configs } = await analyze([file], { now: new Date(0), gpu, sources })
  const [result] = configs
  if (result?.status !== 'analysed') throw new Error(JSON.stringify(result))
  return Object.fromEntries((result.peaks ?? []).map(({ phase, state }) => [phase, state]))
}

describe.each(reports.map(report => [report.link, report] as const))('%s', (_, report) => {
  it(`died in: ${report.died}`, async () => {
    const states = await statesOf(report)
    expect(states['training-step']).not.toBe('does-not-fit')
    expect(states[report.died]).toBe('does-not-fit')
  })

  const { remedy } = report
  it.runIf(remedy)('runs with what helped', async () => {
    const versions = remedy?.versions ?? report.versions
    const states = await statesOf({ ...report, versions, config: { ...report.config, ...remedy?.config } })
    expect(Object.values(states)).not.toContain('does-not-fit')
  })
})
