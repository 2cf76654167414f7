/** What goes wrong between an App and GitHub: at the next matching call, or at any call by chance. */
import { SeededRandom } from './random.ts'

/** Answers the next `times` matching requests with `status` instead of serving them. */
export interface Fault {
  readonly method: string
  readonly path: RegExp
  readonly status: number
  /** Makes a 403 or 429 a secondary rate limit. */
  readonly retryAfterSeconds?: number
  /** Of a GraphQL query: the type of an error that is told with status 200. */
  readonly graphqlError?: 'RATE_LIMITED' | 'FORBIDDEN' | 'INTERNAL'
  times: number
}

const mishaps = [
  'server error',
  'bad gateway',
  'secondary limit',
  'too many requests',
  /** The connection ends before GitHub has done anything. */
  'cut before',
  /** GitHub has done what was asked, and the answer is lost. */
  'cut after',
] as const
export type Mishap = (typeof mishaps)[number]

export interface Storm {
  readonly seed: number
  /** Of a call to meet a mishap, from 0 to 1. */
  readonly probability: number
  /** All of them unless told. */
  readonly mishaps?: readonly [Mishap, ...Mishap[]]
  /** What a secondary limit asks for. */
  readonly retryAfterSeconds: number
  /** Every call waits as long at most, by chance. */
  readonly maxLatencyMillis: number
}

export type Fate =
  | { readonly kind: 'served'; readonly latencyMillis: number }
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterSeconds: number | undefined }
  | { readonly kind: 'graphql error'; readonly type: string }
  | { readonly kind: 'cut before' }
  | { readonly kind: 'cut after' }

const served: Fate = { kind: 'served', latencyMillis: 0 }

export class Faults {
  readonly #planned: Fault[] = []
  #storm: { readonly of: Storm; readonly random: SeededRandom } | undefined
  /** How often each has happened in storms. */
  readonly counts = new Map<Mishap, number>(mishaps.map(mishap => [mishap, 0]))
  /** Calls that storms have passed judgement on. */
  judged = 0

  plan(fault: Fault): void {
    this.#planned.push(fault)
  }

  begin(storm: Storm): void {
    this.#storm = { of: storm, random: new SeededRandom(storm.seed) }
  }

  end(): void {
    this.#storm = undefined
  }

  /** Storms strike Apps only: whoever sets up the world or looks at it must not be struck. */
  fateOf(method: string, path: string, byApp: boolean): Fate {
    const fault = this.#planned.find(one => one.times > 0 && one.method === method && one.path.test(path))
    if (fault !== undefined) {
      fault.times -= 1
      if (fault.graphqlError !== undefined) return { kind: 'graphql error', type: fault.graphqlError }
      return { kind: 'refused', status: fault.status, retryAfterSeconds: fault.retryAfterSeconds }
    }
    return byApp && this.#storm !== undefined ? this.#struck(this.#storm.of, this.#storm.random) : served
  }

  #struck(storm: Storm, random: SeededRandom): Fate {
    this.judged += 1
    if (random.next() >= storm.probability)
      return { kind: 'served', latencyMillis: random.integer(storm.maxLatencyMillis + 1) }
    const mishap = random.pick(storm.mishaps ?? mishaps)
    this.counts.set(mishap, (this.counts.get(mishap) ?? 0) + 1)
    return fateBy(mishap, storm.retryAfterSeconds)
  }
}

function fateBy(mishap: Mishap, retryAfterSeconds: number): Fate {
  switch (mishap) {
    case 'server error':
      return { kind: 'refused', status: 500, retryAfterSeconds: undefined }
    case 'bad gateway':
      return { kind: 'refused', status: 502, retryAfterSeconds: undefined }
    case 'secondary limit':
      return { kind: 'refused', status: 403, retryAfterSeconds }
    case 'too many requests':
      return { kind: 'refused', status: 429, retryAfterSeconds }
    case 'cut before':
    case 'cut after':
      return { kind: mishap }
  }
}
