/** What blocks a pull request (`fail-on`) or only gives a warning (`warn-on`). A config that certainly does not fit always blocks. */
import * as z from 'zod'
import { MemoryMarkError } from '../errors.ts'

const MAX_CONDITIONS = 20
const percent = z.number().min(0).max(1_000)

export const condition = z.discriminatedUnion('kind', [
  /** Usable memory idle at the current batch, judged only if a faster batch exists. */
  z.object({ kind: z.literal('waste'), abovePercent: percent }),
  /** Missed throughput: how much faster the recommended batch is. */
  z.object({ kind: z.literal('throughput-loss'), abovePercent: percent }),
  /** Savings of the recommendation over a year. */
  z.object({ kind: z.literal('annual-cost'), aboveUsd: z.number().min(0).max(1e12) }),
])
export type Condition = z.infer<typeof condition>

export const policy = z.object({
  failOn: z.array(condition).max(MAX_CONDITIONS),
  warnOn: z.array(condition).max(MAX_CONDITIONS),
})
export type Policy = z.infer<typeof policy>

/**
 * Why something that would block does not: it holds in only part of the error band; the base branch was no better; somebody
 * accepted it, or snoozed it.
 */
export const spared = z.enum(['within-error', 'no-worse', 'accepted', 'snoozed'])
export type Spared = z.infer<typeof spared>

export const reason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('does-not-fit'), spared: spared.optional() }),
  z.object({ kind: z.literal('condition'), condition, actual: z.number(), spared: spared.optional() }),
])
export type Reason = z.infer<typeof reason>

export const verdict = z.object({
  state: z.enum(['fine', 'warning', 'blocked']),
  /** The reasons to block; if there are none, the warnings, and what would block but is spared. */
  reasons: z.array(reason).max(2 * MAX_CONDITIONS),
})
export type Verdict = z.infer<typeof verdict>

export const defaultPolicy: Policy = {
  failOn: [{ kind: 'waste', abovePercent: 40 }],
  warnOn: [{ kind: 'throughput-loss', abovePercent: 5 }],
}

const grammar = /^(?:(waste|throughput-loss)\s*>\s*(\d+(?:\.\d+)?)\s*%?|(annual-cost)\s*>\s*\$?\s*(\d+(?:\.\d+)?))$/

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
      const match = grammar.exec(part)
      if (match === null) throw unreadable(part, setting)
      const [, kind, percentText, , usdText] = match
      const parsed = condition.safeParse(
        kind === undefined
          ? { kind: 'annual-cost', aboveUsd: Number(usdText) }
          : { kind, abovePercent: Number(percentText) },
      )
      if (!parsed.success) throw unreadable(part, setting)
      return parsed.data
    })
}

export function formatCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'waste':
    case 'throughput-loss':
      return `${condition.kind} > ${condition.abovePercent} %`
    case 'annual-cost':
      return `annual-cost > $${condition.aboveUsd}`
  }
}

function unreadable(part: string, setting: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'policy-unreadable',
    field: setting,
    message: `"${part.slice(0, 100)}" is not a condition`,
    fix: 'Write `waste > 40 %`, `throughput-loss > 10 %`, `annual-cost > $500`, several with commas between, or `never`.',
  })
}
