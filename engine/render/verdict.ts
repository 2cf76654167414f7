/** The words and states that the comment, the check and the terminal share. */
import { configKey } from '../config/training-place.ts'
import type { ConfigResult, Reason, Report } from '../report/schema.ts'
import { type Condition, formatCondition } from '../verdict/policy.ts'
import { formatCount, ofUsable } from './figures.ts'

export type VerdictState = 'nothing-to-measure' | 'fine' | 'warning' | 'blocked'

export const nothingToMeasure = 'No training config in this pull request: nothing to measure'

/** The main finding about a config, gravest first. */
const findings = [
  'does-not-fit',
  'may-not-fit',
  'loading-does-not-fit',
  'evaluation-does-not-fit',
  'saving-does-not-fit',
  'resuming-does-not-fit',
  'waste',
  'annual-cost',
  'throughput-loss',
  'unread-settings',
  'not-analysed',
  'fine',
] as const
export type Finding = (typeof findings)[number]

/**
 * A config that could not be analysed blocks, as it does on the command line (exit code 2): a required check must not
 * pass what it could not read, and the author can fix the file.
 */
export function configState(config: ConfigResult): Exclude<VerdictState, 'nothing-to-measure'> {
  if (config.status === 'analysed') return config.verdict.state
  return config.spared === undefined ? 'blocked' : 'warning'
}

export function verdictState(report: Report): VerdictState {
  if (report.configs.length === 0) return 'nothing-to-measure'
  const states = new Set(report.configs.map(configState))
  if (states.has('blocked')) return 'blocked'
  return states.has('warning') ? 'warning' : 'fine'
}

/** The only emoji of the product. */
export function stateMark(state: VerdictState): string {
  switch (state) {
    case 'nothing-to-measure':
    case 'fine':
      return '🟩'
    case 'warning':
      return '🟨'
    case 'blocked':
      return '🟥'
  }
}

export function findingOf(config: ConfigResult): Finding {
  if (config.status === 'not-analysed') return 'not-analysed'
  if (isInDoubt(config.verdict.reasons)) return 'may-not-fit'
  if (!config.current.fits) return 'does-not-fit'
  if (config.verdict.state === 'fine') return 'fine'
  const kinds = new Set<Finding>(config.verdict.reasons.map(reasonKind))
  return findings.find(finding => kinds.has(finding)) ?? 'waste'
}

/** Whether the config runs out of memory, or may. */
export function needsMemory(config: ConfigResult): boolean {
  const finding = findingOf(config)
  return finding === 'does-not-fit' || finding === 'may-not-fit'
}

/** One line over all configs, without mark and full stop: `1 of 2 training configs wastes its GPU`. Never untrusted text. */
export function headline(report: Report): string {
  const { configs } = report
  const [only] = configs
  if (only === undefined) return nothingToMeasure
  if (configs.length === 1) return `the training config ${sayOne(only)}`
  const parts = findings
    .map(finding => ({ finding, count: configs.filter(config => findingOf(config) === finding).length }))
    .filter(({ finding, count }) => count > 0 && finding !== 'fine')
  const [first, ...rest] = parts
  const total = counted(configs)
  if (first === undefined) return `all ${total} fit and are within policy`
  return [
    `${first.count === configs.length ? 'all' : `${formatCount(first.count)} of`} ${total} ${predicate(first.finding, first.count)}`,
    ...rest.map(({ finding, count }) => `${formatCount(count)} ${predicate(finding, count)}`),
  ].join(', ')
}

/** The conditions of the policy that led to `state`, each once, without the spared ones; for the footer. */
export function decidingConditions(report: Report, state: 'warning' | 'blocked'): string[] {
  const { failOn, warnOn } = report.policy
  const asked = new Set((state === 'blocked' ? failOn : warnOn).map(formatCondition))
  const met = report.configs
    .flatMap(config => (config.status === 'analysed' ? config.verdict.reasons : []))
    .flatMap(reason =>
      reason.kind === 'condition' && reason.spared === undefined ? [formatCondition(reason.condition)] : [],
    )
  return [...new Set(met)].filter(condition => asked.has(condition))
}

function sayOne(config: ConfigResult): string {
  const words = predicate(findingOf(config), 1)
  if (config.status === 'not-analysed' || config.current.fits) return words
  return `${words}: needs ${ofUsable(config.current.peakBytes, config.gpu.usableBytes)}`
}

/** Counts configs, not results: a fleet of runners measures one config on several GPUs. */
function counted(configs: readonly ConfigResult[]): string {
  const count = formatCount(configs.length)
  if (!hasSeveralGpusOfOne(configs)) return `${count} training configs`
  const paths = new Set(configs.map(configKey)).size
  return `${count} results for ${formatCount(paths)} training config${paths === 1 ? '' : 's'}`
}

function hasSeveralGpusOfOne(configs: readonly ConfigResult[]): boolean {
  const gpuOf = new Map<string, string>()
  return configs.some(config => {
    if (config.status === 'not-analysed') return false
    const known = gpuOf.get(configKey(config)) ?? config.gpu.id
    gpuOf.set(configKey(config), known)
    return known !== config.gpu.id
  })
}

/** `wastes its GPU`: the predicate for `count` configs. */
export function predicate(finding: Finding, count: number): string {
  const one = count === 1
  switch (finding) {
    case 'does-not-fit':
      return one ? 'runs out of memory' : 'run out of memory'
    case 'may-not-fit':
      return 'may run out of memory'
    case 'loading-does-not-fit':
      return one ? 'runs out of memory while it loads' : 'run out of memory while they load'
    case 'evaluation-does-not-fit':
      return one ? 'runs out of memory in evaluation' : 'run out of memory in evaluation'
    case 'saving-does-not-fit':
      return one ? 'runs out of memory while it saves' : 'run out of memory while they save'
    case 'resuming-does-not-fit':
      return one ? 'runs out of memory as it resumes' : 'run out of memory as they resume'
    case 'waste':
      return one ? 'wastes its GPU' : 'waste their GPU'
    case 'annual-cost':
      return one ? 'costs more than it needs to' : 'cost more than they need to'
    case 'throughput-loss':
      return one ? 'trains slower than it could' : 'train slower than they could'
    case 'unread-settings':
      return one ? 'sets what was not understood' : 'set what was not understood'
    case 'not-analysed':
      return 'could not be analysed'
    case 'fine':
      return one ? 'fits and is within policy' : 'fit and are within policy'
  }
}

function isInDoubt(reasons: readonly Reason[]): boolean {
  return reasons.some(
    ({ kind, spared }) => kind === 'does-not-fit' && (spared === 'within-error' || spared === 'assumed'),
  )
}

function reasonKind(reason: Reason): Condition['kind'] | Exclude<Reason['kind'], 'condition'> {
  return reason.kind === 'condition' ? reason.condition.kind : reason.kind
}
