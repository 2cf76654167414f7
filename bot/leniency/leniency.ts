/** Applies acceptances and snoozes of a pull request to its report. */
import {
  type ConfigResult,
  configKey,
  configName,
  covers,
  escapeText,
  inlineCode,
  inlinePath,
  isOutOfMemory,
  letPass,
  type Report,
} from '../../engine/index.ts'
import { type Acceptance, acceptancesOf } from '../store/acceptances.ts'
import type { Sql } from '../store/database.ts'
import type { PullKey } from '../store/pull-key.ts'
import { type Snooze, snoozeOf } from '../store/snoozes.ts'

export interface Leniency {
  /** Newest first. */
  readonly acceptances: readonly Acceptance[]
  readonly snooze: Snooze | undefined
}

export interface LenientReport {
  /** The report in which what was accepted or snoozed warns instead of blocking. */
  readonly report: Report
  /** Paragraphs of Markdown: who accepted or snoozed what, and what is no longer covered. */
  readonly remarks: readonly string[]
  /** Whether the comment must stay as it is. */
  readonly isQuiet: boolean
  /** Acceptances by the config's key. */
  readonly accepted: ReadonlyMap<string, Acceptance>
}

export async function readLeniency(sql: Sql, key: PullKey): Promise<Leniency> {
  return { acceptances: await acceptancesOf(sql, key), snooze: await snoozeOf(sql, key) }
}

/** Only an explicit acceptance lets an out-of-memory config pass; a snooze never does. */
export function applyLeniency(report: Report, { acceptances, snooze }: Leniency, now: Date): LenientReport {
  const active = snooze !== undefined && snooze.until > now ? snooze : undefined
  const passes = report.configs.filter(blocks).map(config => ({ config, pass: passOf(config, acceptances, active) }))
  const byConfig = new Map(passes.map(({ config, pass }) => [config, pass]))
  const accepted = new Map(
    passes.flatMap(({ config, pass }) =>
      pass?.kind === 'accepted' ? [[configKey(config), pass.acceptance] as const] : [],
    ),
  )
  const lapsed = passes.filter(({ pass }) => pass === undefined).map(({ config }) => config)
  return {
    report: { ...report, configs: report.configs.map(config => spared(config, byConfig.get(config))) },
    remarks: [
      ...acceptances.flatMap(acceptance => acceptedRemark(acceptance, accepted)),
      ...lapsed.flatMap(config => lapsedRemark(config, acceptances)),
      ...(active !== undefined && passes.length > 0 ? [snoozedRemark(active)] : []),
    ],
    isQuiet: active !== undefined,
    accepted,
  }
}

type Pass = { readonly kind: 'accepted'; readonly acceptance: Acceptance } | { readonly kind: 'snoozed' } | undefined

function passOf(config: ConfigResult, acceptances: readonly Acceptance[], snooze: Snooze | undefined): Pass {
  const acceptance = acceptances.find(({ configs }) => configs.some(accepted => covers(accepted, config)))
  if (acceptance !== undefined) return { kind: 'accepted', acceptance }
  const mayWait = config.status === 'not-analysed' || !isOutOfMemory(config)
  return snooze !== undefined && mayWait ? { kind: 'snoozed' } : undefined
}

function spared(config: ConfigResult, pass: Pass): ConfigResult {
  if (pass === undefined) return config
  if (config.status === 'not-analysed') return { ...config, spared: pass.kind }
  return { ...config, verdict: letPass(config.verdict, pass.kind) }
}

function blocks(config: ConfigResult): boolean {
  return config.status === 'not-analysed' || config.verdict.state === 'blocked'
}

/** More names than this do not help in a sentence. */
const MAX_PATHS = 10

function acceptedRemark(acceptance: Acceptance, accepted: ReadonlyMap<string, Acceptance>): string[] {
  const keys = [...accepted].filter(([, by]) => by === acceptance).map(([key]) => key)
  if (keys.length === 0) return []
  const named = keys.slice(0, MAX_PATHS).map(key => inlinePath(key))
  const rest = keys.length > MAX_PATHS ? [`${keys.length - MAX_PATHS} more`] : []
  return [
    `Accepted by ${inlineCode(acceptance.by)} on ${dateOf(acceptance.at)}: ${escapeText(acceptance.reason)}. This covers ${[...named, ...rest].join(', ')} until it gets worse.`,
  ]
}

function lapsedRemark(config: ConfigResult, acceptances: readonly Acceptance[]): string[] {
  const before = acceptances.find(({ configs }) => configs.some(each => configKey(each) === configKey(config)))
  if (before === undefined) return []
  return [
    `The acceptance of ${inlinePath(configName(config))} by ${inlineCode(before.by)} on ${dateOf(before.at)} no longer applies: the config got worse.`,
  ]
}

function snoozedRemark({ by, until }: Snooze): string {
  return `Snoozed by ${inlineCode(by)} until ${dateOf(until)}; a config that runs out of memory still blocks.`
}

function dateOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}
