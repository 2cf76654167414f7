/** How much is sent. */
import { parseArgs } from 'node:util'
import * as z from 'zod'
import type { Clock } from './surface.ts'

/** Each field has one after the other. */
const KINDS_OF_VALUES = 5

/** Has no factor in common with the kinds of values, so that each comes up. */
const SHORT_STRIDE = 97

const surfaces = ['cli', 'action', 'bot'] as const

const options = z.object({
  /** A sample of the cases by rule, for CI. */
  short: z.boolean().default(false),
  /** Only inputs whose names contain it. */
  match: z.string().default(''),
  on: z.enum(surfaces).optional(),
  /** Of the Action's and the bot's rounds only this one, counted from 1. */
  round: z.coerce.number().int().positive().optional(),
  /** Others use the machine too, so that time by the clock is told and not judged. */
  busy: z.boolean().default(false),
  /** Of the cases by rule, every so-many-th is sent. */
  stride: z.coerce
    .number()
    .int()
    .positive()
    .refine(stride => stride % KINDS_OF_VALUES !== 0, 'a multiple of 5 would leave kinds of values out')
    .default(1),
})

export interface AttackOptions {
  readonly clock: Clock
  readonly match: string
  readonly on: readonly (typeof surfaces)[number][]
  /** Counted from 1; all of them where it is undefined. */
  readonly round: number | undefined
  readonly stride: number
}

/** @throws Error that names an option that is unknown or out of range. */
export function readOptions(args: readonly string[]): AttackOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean' },
      match: { type: 'string' },
      on: { type: 'string' },
      round: { type: 'string' },
      busy: { type: 'boolean' },
      stride: { type: 'string' },
    },
  })
  const { short, match, on, round, stride, busy } = options.parse(values)
  return {
    clock: busy ? 'cpu' : 'wall',
    match,
    on: on === undefined ? surfaces : [on],
    round,
    stride: short ? SHORT_STRIDE : stride,
  }
}
