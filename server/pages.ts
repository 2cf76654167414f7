/** How pages for people are added to the server: a Hono app of their own, with what it may know. */
import type { Env, Hono } from 'hono'
import type { Problem } from '../engine/errors.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { Machine } from '../engine/probes/device.ts'
import type { Engine } from '../engine/probes/engines.ts'
import type { Analysis, AnalysisEvent, AnalysisRequest } from './analysis.ts'
import type { Repositories } from './repositories.ts'

export type Submission =
  | { readonly kind: 'accepted'; readonly analysis: Analysis }
  /** Every place in the queue is taken. */
  | { readonly kind: 'queue-full'; readonly retryAfterSeconds: number }
  /** This server does not run what is asked for. */
  | { readonly kind: 'refused'; readonly problem: Problem }

/** The analyses of this server. Finished ones are kept for a while. */
export interface Analyses {
  submit(request: AnalysisRequest): Submission
  /** Undefined for an id that is not, or no longer, known. */
  find(id: string): Analysis | undefined
  /** Those after the event of sequence number `after`, each as it happens; ends after the last. `all-seen`: none will come. */
  events(id: string, after: number, signal: AbortSignal): AsyncIterable<AnalysisEvent> | 'all-seen' | undefined
  /** Takes it from the queue or ends its sweep; nothing where it has ended already. */
  cancel(id: string): Analysis | undefined
}

export interface PagesContext {
  readonly analyses: Analyses
  /** Only on a server of the bot. */
  readonly repositories?: Repositories
  /** What this machine has; found out once, which takes seconds where Python has PyTorch. */
  readonly machine: () => Promise<Machine>
  /** What is assumed where neither the request nor the machine has a GPU. */
  readonly gpu: Gpu
  /** What runs the trials where a request says `auto`; where this is no `auto`, no other is served. */
  readonly engine: Engine | 'auto'
}

/**
 * Mounted at `/`, behind the server's own checks (host, token, origin, size of bodies). It answers `GET /` for browsers;
 * programs get JSON there. It sets its own Content-Security-Policy.
 */
export type Pages = (context: PagesContext) => Hono<Env>
