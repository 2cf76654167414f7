/** Adds a merged pull request to the ledger: each config before and after, measured if both sides were. */
import {
  type AnalysedConfig,
  analysedIn,
  configKey,
  ledgerEntryOf,
  type Report,
  restOnSameFiles,
} from '../../engine/index.ts'
import { sourcesOf } from '../change.ts'
import { type PullRequest, readPullRequest, type Work } from '../github.ts'
import { applyLeniency, readLeniency } from '../leniency/leniency.ts'
import { type Judgement, judgePull } from '../pull-request/judge.ts'
import { keepLedgerEntries } from '../store/ledger-entries.ts'
import { reportedConfigs } from '../store/measured-configs.ts'

export async function enterMerge(work: Work, number: number): Promise<void> {
  const pull = await readPullRequest(work, number)
  const { mergedAt } = pull
  if (mergedAt === undefined) return
  const judged = await judgePull(work, pull)
  if (judged.report.configs.length === 0) return
  const before = await readBefore(work, pull, judged)
  const after = await estimateOf(work, judged)
  const leniency = await readLeniency(work.database, { ...work.place, pullNumber: number })
  const { accepted } = applyLeniency(judged.report, leniency, mergedAt)
  const entries = analysedIn(judged.report).map(config =>
    ledgerEntryOf(
      {
        ...comparable(config, after.get(configKey(config)), before.get(configKey(config))),
        accepted: accepted.get(configKey(config)),
      },
      { pullNumber: number, mergedAt: mergedAt.toISOString() },
    ),
  )
  await keepLedgerEntries(work.database, work.place, entries)
  await work.queue.send([{ kind: 'survey', ...work.place, isReportDue: false }])
}

/** What is known of a config before the merge, under its key after the merge. */
interface Before {
  readonly estimated: AnalysedConfig | undefined
  readonly measured: AnalysedConfig | undefined
}

/** Makes both sides comparable: measured with measured, or modelled with modelled. */
function comparable(
  config: AnalysedConfig,
  estimate: AnalysedConfig | undefined,
  before: Before | undefined,
): { readonly before: AnalysedConfig | undefined; readonly after: AnalysedConfig } {
  if (config.throughputProvenance === 'measured' && before?.measured !== undefined) {
    return { before: before.measured, after: config }
  }
  return { before: before?.estimated, after: estimate ?? config }
}

async function readBefore(work: Work, pull: PullRequest, judged: Judgement): Promise<ReadonlyMap<string, Before>> {
  const { base, baseBlobSha, changed, listFolder } = judged.read
  const former = new Map<string, { readonly text: string; readonly blobSha: string }>()
  for (const { path } of judged.report.configs) {
    const [text, blobSha] = [await base(path), await baseBlobSha(path)]
    if (text !== undefined && blobSha !== undefined) former.set(path, { text, blobSha })
  }
  const files = [...former].map(([path, { text }]) => ({ path, text }))
  const sources = sourcesOf(work, { readFile: base, listFolder })
  const estimated = await estimateOf(work, { ...judged, files, sources })
  const blobs = judged.report.configs.flatMap(({ path, training }) => {
    const was = { path: changed.formerPaths.get(path) ?? path, training }
    const blobSha = former.get(path)?.blobSha
    return blobSha === undefined ? [] : [{ path: configKey(was), blobSha, after: configKey({ path, training }) }]
  })
  const reported = await reportedConfigs(work.database, work.place, pull.baseSha, blobs)
  const measured = new Map(
    blobs.map(({ path, after }) => {
      const results = reported.flatMap(({ path: at, result }) => (at === path ? [result] : []))
      return [after, results.filter(isTimed).find(result => restOnSameFiles(result, estimated.get(after)))] as const
    }),
  )
  return new Map(blobs.map(({ after: key }) => [key, { estimated: estimated.get(key), measured: measured.get(key) }]))
}

/** Estimates of all configs by key, measured or not, so that both sides can be compared as estimates. */
async function estimateOf(
  work: Work,
  { files, settings, sources }: Pick<Judgement, 'files' | 'settings' | 'sources'>,
): Promise<ReadonlyMap<string, AnalysedConfig>> {
  const report = await work.analyze(files, { settings, sources, base: async () => undefined })
  return new Map(analysedIn(report).map(config => [configKey(config), config]))
}

function isTimed(config: Report['configs'][number]): config is AnalysedConfig {
  return config.status === 'analysed' && config.throughputProvenance === 'measured'
}
