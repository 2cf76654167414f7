/**
 * What blocks a pull request (`fail-on`) or only gives a warning (`warn-on`). A config that certainly does not fit blocks
 * unless `fail-on` is `never`, which is an empty list here.
 */
import * as z from 'zod'
import { didYouMean } from '../base/did-you-mean.ts'
import { MemoryMarkError } from '../base/errors.ts'

const MAX_CONDITIONS = 20
const percent = z.number().min(0).max(1_000)

const condition = z.discriminatedUnion('kind', [
  /** Idle usable memory at the current batch, judged only if a faster batch exists. */
  z.object({ kind: z.literal('waste'), abovePercent: percent }),
  /**
   * How much faster the recommended batch is. `sameEffectiveBatch`: only if the effective batch stays, so that nothing
   * but speed changes.
   */
  z.object({
    kind: z.literal('throughput-loss'),
    abovePercent: percent,
    sameEffectiveBatch: z.literal(true).optional(),
  }),
  /** Yearly savings of the recommendation. */
  z.object({ kind: z.literal('annual-cost'), aboveUsd: z.number().min(0).max(1e12) }),
  /** Nothing but what blocks under every policy except `never`. */
  z.object({ kind: z.literal('does-not-fit') }),
])
export type Condition = z.infer<typeof condition>

/** A gain below both of these yearly amounts does not block. */
const gainFloor = z.object({
  usdPerYear: z.number().min(0).max(1e12),
  /** Summed over all GPUs of the training. */
  gpuHoursPerYear: z.number().min(0).max(1e12),
})
export type GainFloor = z.infer<typeof gainFloor>

export const policy = z.object({
  failOn: z.array(condition).max(MAX_CONDITIONS),
  warnOn: z.array(condition).max(MAX_CONDITIONS),
  /** Absent if the team sets `fail-on` itself, and in older reports. */
  gainFloor: gainFloor.optional(),
})
export type Policy = z.infer<typeof policy>

/**
 * Why something that would block does not: it holds in only part of the error band; the GPU, the number of GPUs, the
 * sequence length or a memory setting was assumed; the gain is below the floor; the base branch was no better; somebody
 * accepted or snoozed it; the policy never blocks. For a config that could not be analysed also: its values are known
 * only when it runs.
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
  /** The config sets memory settings that were not understood, so its figures are in doubt. Never blocks. */
  z.object({ kind: z.literal('unread-settings'), spared: spared.optional() }),
  /** The training step fits, but evaluation does not. Never blocks. */
  z.object({ kind: z.literal('evaluation-does-not-fit'), spared: spared.optional() }),
  /** The training step fits, but loading the weights before they are sharded does not. Never blocks. */
  z.object({ kind: z.literal('loading-does-not-fit'), spared: spared.optional() }),
  /** The training step fits, but gathering sharded weights for a checkpoint does not. Never blocks. */
  z.object({ kind: z.literal('saving-does-not-fit'), spared: spared.optional() }),
  /** The training step fits, but loading the checkpoint that the config goes on from does not. Never blocks. */
  z.object({ kind: z.literal('resuming-does-not-fit'), spared: spared.optional() }),
])
export type Reason = z.infer<typeof reason>

export const verdict = z.object({
  state: z.enum(['fine', 'warning', 'blocked']),
  /** The reasons to block; if there are none, the warnings and the reasons that were spared. */
  reasons: z.array(reason).max(2 * MAX_CONDITIONS + 4),
})
export type Verdict = z.infer<typeof verdict>

/**
 * Blocks if more than 20 % of throughput is lost at the same effective batch and the gain is above the floor; only
 * warns if another effective batch, which changes the training, would be needed.
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
  /^(?:(?<kind>waste|throughput-loss) ?> ?(?<percent>\d+(?:\.\d+)?)(?: ?%)?(?<same> at the same effective batch)?|annual-cost ?> ?\$? ?(?<usd>\d+(?:\.\d+)?))$/

/**
 * Parses `waste > 40 %, annual-cost > $500`; `does-not-fit`, which every other condition includes; or `never`, which is
 * none. `setting`: the user's name for it (`--fail-on`), for messages. @throws MemoryMarkError
 */
export function parseConditions(text: string, setting: string): Condition[] {
  const parts = text
    .split(',')
    .map(part => part.trim().replace(/\s+/g, ' '))
    .filter(part => part !== '')
  if (parts.length === 0 || parts.length > MAX_CONDITIONS) throw unreadable(text, setting)
  if (parts.length === 1 && parts[0] === 'never') return []
  const comparisons = parts.filter(part => part !== 'does-not-fit')
  if (comparisons.length === 0) return [{ kind: 'does-not-fit' }]
  return comparisons.map(part => {
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
    case 'does-not-fit':
      return 'does-not-fit'
  }
}

const conditionNames = ['waste', 'throughput-loss', 'annual-cost', 'does-not-fit', 'never']

function unreadable(part: string, setting: string): MemoryMarkError {
  const [name = ''] = part.split(/[\s>]/)
  return new MemoryMarkError({
    code: 'policy-unreadable',
    field: setting,
    message: `"${part.slice(0, 100)}" is not a condition`,
    fix: didYouMean(
      name,
      conditionNames,
      `Write \`waste > 40 %\`, \`throughput-loss > 10 %\` (or \`throughput-loss > 10 % ${SAME_BATCH}\`), \`annual-cost > $500\`, several with commas between, \`does-not-fit\`, or \`never\`.`,
    ),
  })
}
