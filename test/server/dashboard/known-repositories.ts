/** A bot's knowledge of one repository, small enough to be seen through. */

import { GIB } from '../../../engine/base/units.ts'
import type {
  ConfigRecord,
  Decision,
  LedgerEntry,
  Page,
  PageRequest,
  Repositories,
  RepositoryName,
} from '../../../server/repositories.ts'

export const acme: RepositoryName = { owner: 'acme', repo: 'training' }

const gpu = {
  id: 'a10',
  name: 'NVIDIA A10',
  totalBytes: 22 * GIB,
  usableBytes: 20 * GIB,
  pricePerHourUsd: 0.6,
  priceSource: 'Lambda, 1x A10',
  priceDate: '2023-02-22',
}

const verdict: ConfigRecord['verdict'] = {
  state: 'blocked',
  reasons: [{ kind: 'condition', condition: { kind: 'waste', abovePercent: 40 }, actual: 90 }],
}

function point(microBatch: number, peakGib: number) {
  return {
    microBatch,
    gradientAccumulation: 1,
    effectiveBatch: microBatch,
    fits: peakGib <= 20,
    peakBytes: peakGib * GIB,
    samplesPerSecond: 10 * microBatch,
    costPerRunUsd: 1.2,
  }
}

function record(path: string, day: number, peakGib: number, changes: Partial<ConfigRecord> = {}): ConfigRecord {
  return {
    path,
    model: 'google-bert/bert-base-uncased',
    gpu,
    commit: `${day}`.padStart(40, 'a'),
    at: `2026-02-${String(day).padStart(2, '0')}T09:30:00Z`,
    provenance: 'estimated',
    errorBandPercent: 3,
    throughputProvenance: 'modelled',
    current: point(16, peakGib),
    recommended: point(128, 11),
    speedup: 1.3,
    savingsPerYearUsd: 24,
    verdict,
    ...changes,
  }
}

const newest = record('configs/bert.yaml', 20, 2, {
  speedupRange: { low: 1.2, high: 1.5 },
  savingsPerYearRangeUsd: { low: 20, high: 40 },
})
const history = [newest, record('configs/bert.yaml', 12, 8), record('configs/bert.yaml', 3, 25)]
const fine = record('configs/gpt2.yaml', 20, 18, {
  model: 'openai-community/gpt2',
  provenance: 'measured',
  errorBandPercent: 0,
  throughputProvenance: 'measured',
  speedup: 1,
  savingsPerYearUsd: 0,
  verdict: { state: 'fine', reasons: [] },
})

const ledgerEntries: readonly LedgerEntry[] = [
  {
    kind: 'saved',
    pullRequest: 12,
    path: 'configs/bert.yaml',
    at: '2026-02-20T10:00:00Z',
    provenance: 'estimated',
    savedPerYearUsd: 120,
    fromBatch: 4,
    toBatch: 16,
  },
  {
    kind: 'accepted',
    pullRequest: 9,
    path: 'configs/gpt2.yaml',
    at: '2026-02-10T10:00:00Z',
    provenance: 'measured',
    forgonePerYearUsd: 31,
    reason: 'the sweep over learning rates needs this batch',
  },
]

const decisions: readonly Decision[] = [
  {
    kind: 'blocked',
    pullRequest: 14,
    title: 'Smaller batches',
    author: 'hubot',
    at: '2026-02-21T10:00:00Z',
    configs: [{ path: 'configs/bert.yaml', verdict }],
  },
  {
    kind: 'accepted',
    pullRequest: 9,
    title: 'Learning rates',
    author: 'hubot',
    at: '2026-02-10T10:00:00Z',
    acceptedBy: 'octocat',
    reason: 'the sweep over learning rates needs this batch',
    configs: [{ path: 'configs/gpt2.yaml', verdict }],
  },
]

/** The first page says where the second is; the second is the last. */
function paged<T>(items: readonly T[], { cursor }: PageRequest): Page<T> {
  return cursor === undefined ? { items, next: 'second page' } : { items: [] }
}

/** `text` stands in for everything that people outside could have written. */
export function knownRepositories(text: (original: string) => string = original => original): Repositories {
  const isKnown = ({ owner, repo }: RepositoryName) => owner === acme.owner && repo === acme.repo
  const written = (config: ConfigRecord) => ({ ...config, path: text(config.path), model: text(config.model) })
  return {
    list: async page => paged([{ ...acme, configs: 2, blocked: 1, savingsPerYearUsd: 24, updatedAt: newest.at }], page),
    configs: async (name, order, page) =>
      isKnown(name) ? paged((order === 'waste' ? [newest, fine] : [fine, newest]).map(written), page) : undefined,
    history: async (name, path, page) =>
      isKnown(name) ? paged(path === text(newest.path) ? history.map(written) : [], page) : undefined,
    ledger: async (name, page) =>
      isKnown(name)
        ? {
            ...paged(
              ledgerEntries.map(entry => ({
                ...entry,
                path: text(entry.path),
                ...(entry.kind === 'accepted' && { reason: text(entry.reason) }),
              })),
              page,
            ),
            totals: { savedPerYearUsd: 120, forgonePerYearUsd: 31 },
          }
        : undefined,
    decisions: async (name, page) =>
      isKnown(name)
        ? paged(
            decisions.map(decision => ({
              ...decision,
              title: text(decision.title),
              author: text(decision.author),
              ...(decision.kind === 'accepted' && { reason: text(decision.reason) }),
              configs: decision.configs.map(config => ({ ...config, path: text(config.path) })),
            })),
            page,
          )
        : undefined,
  }
}
