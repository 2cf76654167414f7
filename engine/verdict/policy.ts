/** What blocks a pull request (`fail-on`) or only gives a warning (`warn-on`). A config that certainly does not fit always blocks. */
import * as z from 'zod'
import { didYouMean } from '../did-you-mean.ts'
import { MemoryMarkError } from '../errors.ts'

const MAX_CONDITIONS = 20
const percent = z.number().min(0).max(1_000)

export const condition = z.discriminatedUnion('kind', [
  /** Usable memory idle at the current batch, judged only if a faster batch exists. */
  z.object({ kind: z.literal('waste'), abovePercent: percent }),
  /**
   * Missed throughput: how much faster the recommended batch is. `sameEffectiveBatch`: only where the effective batch stays, so
   * that nothing but speed changes.
   */
  z.object({
    kind: z.literal('throughput-loss'),
    abovePercent: percent,
    sameEffectiveBatch: z.literal(true).optional(),
  }),
  /** Savings of the recommendation over a year. */
  z.object({ kind: z.literal('annual-cost'), aboveUsd: z.number().min(0).max(1e12) }),
])
export type Condition = z.infer<typeof condition>

/** A gain below both of these a year blocks nothing. */
export const gainFloor = z.object({
  usdPerYear: z.number().min(0).max(1e12),
  /** Of all GPUs that train together. */
  gpuHoursPerYear: z.number().min(0).max(1e12),
})
export type GainFloor = z.infer<typeof gainFloor>

export const policy = z.object({
  failOn: z.array(condition).max(MAX_CONDITIONS),
  warnOn: z.array(condition).max(MAX_CONDITIONS),
  /** Absent where the team has said itself what blocks, and in older reports. */
  gainFloor: gainFloor.optional(),
})
export type Policy = z.infer<typeof policy>

/**
 * Why something that would block does not: it holds in only part of the error band; the GPU, the number of GPUs, the length of sequences or a
 * setting of memory was assumed; the gain is below the floor; the base branch was no better; somebody accepted it, or snoozed it; of what could not be analysed, its values are known
 * when it runs, or the policy is never to block on it.
 */
export const spared = z.enum([
  'within-error',
  'assumed',
  'below-floor',
  'no-worse',
  'accepted',
  'snoozed',
  'run-time',
  'never',
])
export type Spared = z.infer<typeof spared>

export const reason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('does-not-fit'), spared: spared.optional() }),
  z.object({ kind: z.literal('condition'), condition, actual: z.number(), spared: spared.optional() }),
  /** The config sets what changes memory and was not understood, so that its figures are in doubt. Never blocks. */
  z.object({ kind: z.literal('unread-settings'), spared: spared.optional() }),
  /** The training fits, and the evaluations within it do not. Never blocks. */
  z.object({ kind: z.literal('evaluation-does-not-fit'), spared: spared.optional() }),
  /** The training fits, and its weights do not before they are divided among the GPUs. Never blocks. */
  z.object({ kind: z.literal('loading-does-not-fit'), spared: spared.optional() }),
])
export type Reason = z.infer<typeof reason>

export const verdict = z.object({
  state: z.enum(['fine', 'warning', 'blocked']),
  /** The reasons to block; if there are none, the warnings, and what would block but is spared. */
  reasons: z.array(reason).max(2 * MAX_CONDITIONS + 3),
})
export type Verdict = z.infer<typeof verdict>

/**
 * What nobody regrets: a fifth of the time lost to nothing blocks, if it is worth a day's attention; what would need another
 * effective batch, which changes the training, only warns.
 */
export const defaultPolicy: Policy = {
  failOn: [{ kind: 'throughput-loss', abovePercent: 20, sameEffectiveBatch: true }],
  warnOn: [
    { kind: 'throughput-loss', abovePercent: 5, sameEffectiveBatch: true },
    { kind: 'throughput-loss', abovePercent: 20 },
  ],
  gainFloor: { usdPerYear: 50, gpuHoursPerYear: 50 },
}

const SAME_BATCH = 'at the same effective batch'

const grammar =
  /^(?:(?<kind>waste|throughput-loss)\s*>\s*(?<percent>\d+(?:\.\d+)?)\s*%?(?<same>\s+at\s+the\s+same\s+effective\s+batch)?|annual-cost\s*>\s*\$?\s*(?<usd>\d+(?:\.\d+)?))$/

/**
 * Reads `waste > 40 %, annual-cost > $500`, or `never`: block only on what does not fit.
 * `setting` is the name under which the user gave it (`--fail-on`).
 */
export function parseConditions(text: string, setting: string): Condition[] {
  const parts = text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
  if (parts.length === 0 || parts.length > MAX_CONDITIONS) throw unreadable(text, setting)
  if (parts.length === 1 && parts[0] === 'never') return []
  return parts
    .filter(part => part !== 'does-not-fit')
    .map(part => {
      const { kind, percent, same, usd } = grammar.exec(part)?.groups ?? {}
      if (percent === undefined && usd === undefined) throw unreadable(part, setting)
      if (same !== undefined && kind !== 'throughput-loss') throw unreadable(part, setting)
      const parsed = condition.safeParse(
        kind === undefined
          ? { kind: 'annual-cost', aboveUsd: Number(usd) }
          : { kind, abovePercent: Number(percent), ...(same !== undefined && { sameEffectiveBatch: true }) },
      )
      if (!parsed.success) throw unreadable(part, setting)
      return parsed.data
    })
}

export function formatCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'waste':
      return `waste > ${condition.abovePercent} %`
    case 'throughput-loss': {
      const same = condition.sameEffectiveBatch ? ` ${SAME_BATCH}` : ''
      return `throughput-loss > ${condition.abovePercent} %${same}`
    }
    case 'annual-cost':
      return `annual-cost > $${condition.aboveUsd}`
  }
}

const conditionNames = ['waste', 'throughput-loss', 'annual-cost', 'never']

function unreadable(part: string, setting: string): MemoryMarkError {
  const [name = ''] = part.split(/[\s>]/)
  return new MemoryMarkError({
    code: 'policy-unreadable',
    field: setting,
    message: `"${part.slice(0, 100)}" is not a condition`,
    fix: didYouMean(
      name,
      conditionNames,
      `Write \`waste > 40 %\`, \`throughput-loss > 10 %\` (or \`throughput-loss > 10 % ${SAME_BATCH}\`), \`annual-cost > $500\`, several with commas between, or \`never\`.`,
    ),
  })
}
