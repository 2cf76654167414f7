/** Implements the server's `repositories` routes from the bot's database. */
import * as z from 'zod'
import { type LedgerEntry as KeptEntry, totalsOf } from '../../engine/index.ts'
import type {
  ConfigOrder,
  ConfigRecord,
  Decision,
  LedgerEntry,
  LedgerTotals,
  Page,
  PageRequest,
  Repositories,
  RepositoryName,
  RepositorySummary,
} from '../../server/repositories.ts'
import { configHistory, currentConfigRecords } from '../store/config-records.ts'
import type { Sql } from '../store/database.ts'
import { decisions } from '../store/decisions.ts'
import { ledgerEntries } from '../store/ledger-entries.ts'
import { surveyNamed, surveys } from '../store/surveys.ts'
import { readCursor, writeCursor } from './cursor.ts'

const timeAndId = z.object({ at: z.iso.datetime(), id: z.number() })
const rankAndId = z.object({ rank: z.number(), id: z.number() })
const id = z.object({ id: z.number() })
const offset = z.object({ offset: z.number().int().min(0) })

export class KeptRepositories implements Repositories {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async list({ limit, cursor }: PageRequest): Promise<Page<RepositorySummary>> {
    const before = readCursor(timeAndId, cursor)
    const found = await surveys(this.#sql, limit + 1, before && { at: new Date(before.at), repositoryId: before.id })
    return pageOf(found, limit, {
      item: ({ owner, repo, configs, blocked, savingsPerYearUsd, at }) => ({
        owner,
        repo,
        configs,
        blocked,
        savingsPerYearUsd,
        updatedAt: at.toISOString(),
      }),
      position: ({ at, repositoryId }) => ({ at: at.toISOString(), id: repositoryId }),
    })
  }

  async configs(
    repository: RepositoryName,
    order: ConfigOrder,
    { limit, cursor }: PageRequest,
  ): Promise<Page<ConfigRecord> | undefined> {
    const survey = await surveyNamed(this.#sql, repository)
    if (survey === undefined) return undefined
    const after = readCursor(rankAndId, cursor)
    const found = await currentConfigRecords(this.#sql, survey.repositoryId, order, limit + 1, after)
    return pageOf(found, limit, { item: ({ record }) => record, position: ({ rank, id }) => ({ rank, id }) })
  }

  async history(
    repository: RepositoryName,
    path: string,
    { limit, cursor }: PageRequest,
  ): Promise<Page<ConfigRecord> | undefined> {
    const survey = await surveyNamed(this.#sql, repository)
    if (survey === undefined) return undefined
    const before = readCursor(id, cursor)
    const found = await configHistory(this.#sql, survey.repositoryId, path, limit + 1, before?.id)
    return pageOf(found, limit, { item: ({ record }) => record, position: ({ id }) => ({ id }) })
  }

  async ledger(
    repository: RepositoryName,
    { limit, cursor }: PageRequest,
  ): Promise<(Page<LedgerEntry> & { readonly totals: LedgerTotals }) | undefined> {
    const survey = await surveyNamed(this.#sql, repository)
    if (survey === undefined) return undefined
    const kept = (await ledgerEntries(this.#sql, survey)).map(({ entry }) => entry)
    const { measuredPerYearUsd, modelledPerYearUsd, forgonePerYearUsd } = totalsOf(kept)
    const start = readCursor(offset, cursor)?.offset ?? 0
    const lines = kept.flatMap(ledgerLines)
    const page = pageOf(lines.slice(start, start + limit + 1), limit, {
      item: line => line,
      position: () => ({ offset: start + limit }),
    })
    return { ...page, totals: { savedPerYearUsd: measuredPerYearUsd + modelledPerYearUsd, forgonePerYearUsd } }
  }

  async decisions(repository: RepositoryName, { limit, cursor }: PageRequest): Promise<Page<Decision> | undefined> {
    const survey = await surveyNamed(this.#sql, repository)
    if (survey === undefined) return undefined
    const before = readCursor(timeAndId, cursor)
    const found = await decisions(
      this.#sql,
      survey.repositoryId,
      limit + 1,
      before && { at: before.at, pullRequest: before.id },
    )
    return pageOf(found, limit, {
      item: decision => decision,
      position: ({ at, pullRequest }) => ({ at, id: pullRequest }),
    })
  }
}

interface Paging<Kept, Told> {
  readonly item: (kept: Kept) => Told
  /** The start of the next page, from the last item of this one. */
  readonly position: (last: Kept) => unknown
}

/** `found`: one item more than the page if there is another page. */
function pageOf<Kept, Told>(found: readonly Kept[], limit: number, { item, position }: Paging<Kept, Told>): Page<Told> {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(item),
    ...(found.length > limit && last !== undefined && { next: writeCursor(position(last)) }),
  }
}

/**
 * Ledger entries for the server. Money saved or lost depends on throughput, so the throughput's provenance is given.
 */
function ledgerLines({ pullNumber, path, mergedAt, before, after, saving, accepted }: KeptEntry): LedgerEntry[] {
  const provenance = after.throughputProvenance === 'measured' ? 'measured' : 'estimated'
  const common = { pullRequest: pullNumber, path, at: mergedAt, provenance } as const
  return [
    ...(saving?.kind === 'saved' && saving.usdPerYear !== 0 && before !== undefined
      ? [
          {
            kind: 'saved',
            ...common,
            savedPerYearUsd: saving.usdPerYear,
            fromBatch: before.current.microBatch,
            toBatch: after.current.microBatch,
          } as const,
        ]
      : []),
    ...(accepted === undefined
      ? []
      : [
          {
            kind: 'accepted',
            ...common,
            forgonePerYearUsd: accepted.forgonePerYearUsd,
            reason: accepted.reason,
          } as const,
        ]),
  ]
}
