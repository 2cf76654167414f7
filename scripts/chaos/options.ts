/** The options of the chaos test; published figures use the defaults. */
import { parseArgs } from 'node:util'
import * as z from 'zod'

const options = z.object({
  /** The seed of all random choices. */
  seed: z.coerce.number().int().nonnegative().default(1),
  pulls: z.coerce.number().int().positive().default(200),
  /** The number of hostile pull requests, besides the others. */
  hostile: z.coerce.number().int().nonnegative().default(36),
  kills: z.coerce.number().int().nonnegative().default(50),
  replicas: z.coerce.number().int().positive().default(2),
  /** How often each webhook that arrives is sent. */
  copies: z.coerce.number().int().positive().default(3),
  /** Of API calls, from 0 to 1. */
  faults: z.coerce.number().min(0).max(1).default(0.1),
  /** How often PostgreSQL is made to crash. */
  restarts: z.coerce.number().int().nonnegative().default(2),
  /** Time for everything to become right after the last disturbance. */
  'settle-seconds': z.coerce.number().int().positive().default(900),
})

export type ChaosOptions = z.infer<typeof options>

/** @throws Error that names an option that is unknown or out of range. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const known = Object.fromEntries(Object.keys(options.shape).map(name => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ args: [...args], options: known })
  const parsed = options.safeParse(values)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`)
  throw new Error(`The options cannot be read: ${faults.join('; ')}`)
}
