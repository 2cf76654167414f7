/**
 * What a server can tell of repositories, and who tells it: the bot, from what it keeps. `memorymark serve` has none.
 * Everything is asked for page by page, newest or worst first.
 */
import * as z from 'zod'
import { provenance } from '../engine/probes/trial.ts'
import { operatingPoint, reportedGpu, throughputProvenance } from '../engine/report/schema.ts'
import { verdict } from '../engine/verdict/policy.ts'

export const MAX_PAGE_SIZE = 100
const DEFAULT_PAGE_SIZE = 25

export const pageRequest = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  /** `next` of the page before. */
  cursor: z.string().min(1).max(500).optional(),
})
export type PageRequest = z.infer<typeof pageRequest>

export interface Page<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; absent on the last. */
  readonly next?: string
}

export const repositoryName = z.object({
  owner: z
    .string()
    .max(100)
    .regex(/^[\w.-]+$/),
  repo: z
    .string()
    .max(100)
    .regex(/^[\w.-]+$/),
})
export type RepositoryName = z.infer<typeof repositoryName>

const time = z.iso.datetime()
const usd = z.number()
const sha = z.string().regex(/^[0-9a-f]{40,64}$/)
const path = z.string().min(1).max(4_096)
const login = z.string().max(100)

/** A repository and what its default branch adds up to. */
export const repositorySummary = z.object({
  ...repositoryName.shape,
  configs: z.int().min(0),
  /** Of those, how many block. */
  blocked: z.int().min(0),
  /** What the recommendations would save in a year, over all configs. */
  savingsPerYearUsd: usd,
  updatedAt: time,
})
export type RepositorySummary = z.infer<typeof repositorySummary>

/** What was known of a config at a commit. */
export const configRecord = z.object({
  path,
  model: z.string().max(200),
  gpu: reportedGpu,
  commit: sha,
  /** When this was found out. */
  at: time,
  provenance,
  errorBandPercent: z.number().min(0).max(100),
  throughputProvenance,
  current: operatingPoint,
  recommended: operatingPoint.optional(),
  speedup: z.number().positive(),
  savingsPerYearUsd: usd,
  verdict,
})
export type ConfigRecord = z.infer<typeof configRecord>

/** `waste`: share of usable memory idle, greatest first; `cost`: savings in a year, greatest first. */
export const configOrders = ['waste', 'cost'] as const
export type ConfigOrder = (typeof configOrders)[number]

const atPullRequest = { pullRequest: z.int().positive(), path, at: time, provenance }

/** What became of the waste of a config in a merged pull request. */
export const ledgerEntry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved'), ...atPullRequest, savedPerYearUsd: usd, fromBatch: z.int(), toBatch: z.int() }),
  /** Merged all the same. */
  z.object({ kind: z.literal('accepted'), ...atPullRequest, forgonePerYearUsd: usd, reason: z.string().max(1_000) }),
])
export type LedgerEntry = z.infer<typeof ledgerEntry>

export const ledger = z.object({ savedPerYearUsd: usd, forgonePerYearUsd: usd })
export type LedgerTotals = z.infer<typeof ledger>

/** A pull request that the check blocked, or that somebody let pass. */
export const decision = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('blocked'),
    pullRequest: z.int().positive(),
    title: z.string().max(500),
    author: login,
    at: time,
    /** The configs that block, with why. */
    configs: z.array(z.object({ path, verdict })),
  }),
  z.object({
    kind: z.literal('accepted'),
    pullRequest: z.int().positive(),
    title: z.string().max(500),
    author: login,
    at: time,
    acceptedBy: login,
    /** As that person wrote it. */
    reason: z.string().max(1_000),
    configs: z.array(z.object({ path, verdict })),
  }),
])
export type Decision = z.infer<typeof decision>

/** Everything but `list` is undefined for a repository that is not known. */
export interface Repositories {
  list(page: PageRequest): Promise<Page<RepositorySummary>>
  /** Every config of the default branch, as last known. */
  configs(repository: RepositoryName, order: ConfigOrder, page: PageRequest): Promise<Page<ConfigRecord> | undefined>
  /** One config over time, newest first; an empty page for a path that was never a config. */
  history(repository: RepositoryName, path: string, page: PageRequest): Promise<Page<ConfigRecord> | undefined>
  /** What merged pull requests saved and what was accepted instead, newest first; the totals are over all pages. */
  ledger(
    repository: RepositoryName,
    page: PageRequest,
  ): Promise<(Page<LedgerEntry> & { readonly totals: LedgerTotals }) | undefined>
  /** Pull requests blocked and accepted, newest first. */
  decisions(repository: RepositoryName, page: PageRequest): Promise<Page<Decision> | undefined>
}
