/**
 * The interface through which the bot gives the server its repositories; `memorymark serve` has none. All lists are
 * paged, newest or worst first.
 */
import * as z from 'zod'
import { provenance } from '../engine/probes/trial.ts'
import { operatingPoint, reportedGpu, throughputProvenance } from '../engine/report/schema.ts'
import { verdict } from '../engine/verdict/policy.ts'

export const MAX_PAGE_SIZE = 100
const DEFAULT_PAGE_SIZE = 25

export const pageRequest = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  /** `next` of the previous page. */
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
const range = z.object({ low: z.number(), high: z.number() })
const sha = z.string().regex(/^[0-9a-f]{40,64}$/)
const path = z.string().min(1).max(4_096)
const login = z.string().max(100)

/** A repository with totals over its default branch. */
export const repositorySummary = z.object({
  ...repositoryName.shape,
  configs: z.int().min(0),
  /** The number of these that block. */
  blocked: z.int().min(0),
  /** Yearly savings of the recommendations, over all configs. */
  savingsPerYearUsd: usd,
  updatedAt: time,
})
export type RepositorySummary = z.infer<typeof repositorySummary>

/** A config's state at a commit. */
export const configRecord = z.object({
  path,
  model: z.string().max(200),
  gpu: reportedGpu,
  commit: sha,
  /** When this was recorded. */
  at: time,
  provenance,
  errorBandPercent: z.number().min(0).max(100),
  throughputProvenance,
  current: operatingPoint,
  recommended: operatingPoint.optional(),
  speedup: z.number().positive(),
  /** 90 % interval. Older records have none, nor that of the savings. */
  speedupRange: range.optional(),
  savingsPerYearUsd: usd,
  savingsPerYearRangeUsd: range.optional(),
  verdict,
})
export type ConfigRecord = z.infer<typeof configRecord>

/** `waste`: by idle share of usable memory, descending; `cost`: by yearly savings, descending. */
export const configOrders = ['waste', 'cost'] as const
export type ConfigOrder = (typeof configOrders)[number]

const atPullRequest = { pullRequest: z.int().positive(), path, at: time, provenance }

/** What a merged pull request did to a config's waste. */
export const ledgerEntry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved'), ...atPullRequest, savedPerYearUsd: usd, fromBatch: z.int(), toBatch: z.int() }),
  /** Merged despite the waste. */
  z.object({ kind: z.literal('accepted'), ...atPullRequest, forgonePerYearUsd: usd, reason: z.string().max(1_000) }),
])
export type LedgerEntry = z.infer<typeof ledgerEntry>

export const ledger = z.object({ savedPerYearUsd: usd, forgonePerYearUsd: usd })
export type LedgerTotals = z.infer<typeof ledger>

/** A pull request that the check blocked, or that somebody accepted. */
export const decision = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('blocked'),
    pullRequest: z.int().positive(),
    title: z.string().max(500),
    author: login,
    at: time,
    /** The configs that block, and why. */
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

/** All methods but `list` return undefined for an unknown repository. */
export interface Repositories {
  list(page: PageRequest): Promise<Page<RepositorySummary>>
  /** The last known state of every config of the default branch. */
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
