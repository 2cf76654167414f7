/** Trials kept between runs, so that nothing is measured twice. */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { parseJson } from '../base/json.ts'
import type { Probe, ProbedDevice, TrialOptions } from './probe.ts'
import { isBroken, type Trial, trial } from './trial.ts'

/** A store of kept trials under keys of 64 hexadecimal digits. */
export interface TrialStore {
  /** Undefined if nothing, or nothing readable, is kept. */
  read(key: string): Promise<string | undefined>
  write(key: string, text: string): Promise<void>
}

/** Everything that a trial's outcome depends on besides its size. */
export interface TrialConditions {
  /** Git's SHA of the config. */
  readonly blobSha: string
  readonly spec: object
  /** The model's shape. */
  readonly model: object
  /** Settings of the probe. */
  readonly settings: Readonly<Record<string, string | number>>
}

/** Usable memory varies by less than this between runs, unless other processes use the card. */
const USABLE_TOLERANCE = 0.01

const MAX_KEPT_CHARACTERS = 1_000_000

const keptTrial = z.object({ measuredAt: z.iso.datetime(), steps: z.number().int().min(0).max(10_000), trial })
const keptTrials = z.object({
  schema: z.literal('memorymark.trials/v2'),
  /** The conditions as canonical JSON: a key alone is never trusted. */
  conditions: z.string().max(MAX_KEPT_CHARACTERS),
  usableBytes: z.number().positive(),
  trials: z.array(keptTrial).max(1_000),
})
type KeptTrial = z.infer<typeof keptTrial>

export interface KeepingOptions {
  readonly store: TrialStore
  readonly now: Date
  /** Receives the reasons why kept trials were ignored, one sentence each. */
  readonly remark: (sentence: string) => void
}

/** Calls the underlying probe only for trials that were not kept under the same conditions. */
export class KeepingProbe implements Probe {
  readonly engine: Probe['engine']
  readonly provenance: Probe['provenance']
  readonly #probe: Probe
  readonly #conditions: string
  readonly #options: KeepingOptions
  readonly #kept = new Map<string, KeptTrial>()
  /** Kept trials that were used instead of running. */
  readonly #recalled = new Map<Trial, KeptTrial>()

  private constructor(probe: Probe, conditions: string, options: KeepingOptions) {
    this.engine = probe.engine
    this.provenance = probe.provenance
    this.#probe = probe
    this.#conditions = conditions
    this.#options = options
  }

  get device(): ProbedDevice {
    return this.#probe.device
  }

  static async open(probe: Probe, conditions: TrialConditions, options: KeepingOptions): Promise<KeepingProbe> {
    const { engine, device } = probe
    const { name, totalBytes, software } = device
    const keeping = new KeepingProbe(
      probe,
      canonicalJson({ ...conditions, engine, device: { name, totalBytes, software } }),
      options,
    )
    const text = await options.store.read(keeping.#key)
    if (text !== undefined) keeping.#recall(text)
    return keeping
  }

  /** The number of kept trials used and the day of the oldest (ISO 8601); undefined if all trials were run. */
  get recalled(): { readonly count: number; readonly day: string } | undefined {
    const days = [...this.#recalled.values()].map(({ measuredAt }) => measuredAt.slice(0, 10)).sort()
    return days[0] === undefined ? undefined : { count: days.length, day: days[0] }
  }

  /** Whether a trial was kept from an earlier run. */
  isRecalled(answer: Trial): boolean {
    return this.#recalled.has(answer)
  }

  async trial(microBatch: number, options: TrialOptions = {}): Promise<Trial> {
    const { steps = 0, signal, accumulates = false } = options
    const kept = this.#kept.get(keyOf(microBatch, accumulates))
    if (kept && (kept.steps >= steps || kept.trial.outcome.kind !== 'fits')) {
      this.#recalled.set(kept.trial, kept)
      return kept.trial
    }
    const run = await this.#probe.trial(microBatch, options)
    if (!signal?.aborted && !isBroken(run.outcome)) await this.#keep(run, steps)
    return run
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#probe[Symbol.asyncDispose]()
  }

  get #key(): string {
    return createHash('sha256').update(this.#conditions).digest('hex')
  }

  #recall(text: string): void {
    const parsed = text.length <= MAX_KEPT_CHARACTERS ? keptTrials.safeParse(parseJson(text)) : undefined
    const objection = parsed?.success
      ? this.#objectionTo(parsed.data)
      : 'they are not in the format that MemoryMark writes'
    if (objection !== undefined) this.#options.remark(objection)
    else
      for (const kept of parsed?.data?.trials ?? [])
        this.#kept.set(keyOf(kept.trial.microBatch, kept.trial.accumulates), kept)
  }

  /** Why the kept trials cannot be used; undefined if they can. */
  #objectionTo({ conditions, usableBytes, trials }: z.infer<typeof keptTrials>): string | undefined {
    const isForeign = conditions !== this.#conditions || trials.some(kept => kept.trial.provenance !== this.provenance)
    if (isForeign) return 'they were run under other conditions'
    const { usableBytes: usableNow } = this.device
    const hasMoved = Math.abs(usableBytes - usableNow) > usableNow * USABLE_TOLERANCE
    return hasMoved ? 'the amount of usable memory on the device has changed' : undefined
  }

  async #keep(run: Trial, steps: number): Promise<void> {
    const { store, now } = this.#options
    this.#kept.set(keyOf(run.microBatch, run.accumulates), { measuredAt: now.toISOString(), steps, trial: run })
    const entry: z.infer<typeof keptTrials> = {
      schema: 'memorymark.trials/v2',
      conditions: this.#conditions,
      usableBytes: this.device.usableBytes,
      trials: [...this.#kept.values()],
    }
    await store.write(this.#key, JSON.stringify(entry))
  }
}

function keyOf(microBatch: number, accumulates = false): string {
  return `${microBatch}${accumulates ? ' accumulating' : ''}`
}

/** JSON with sorted keys, so that equal content gives equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
