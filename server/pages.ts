/** How pages are added to the server: a Hono app, and what the server gives it. */
import type { Env, Hono } from 'hono'
import type { Problem } from '../engine/base/errors.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { Machine } from '../engine/probes/device.ts'
import type { Engine } from '../engine/probes/engines.ts'
import type { Analysis, AnalysisEvent, AnalysisRequest } from './analysis.ts'
import type { Repositories } from './repositories.ts'

export type Submission =
  | { readonly kind: 'accepted'; readonly analysis: Analysis }
  /** The queue is full. */
  | { readonly kind: 'queue-full'; readonly retryAfterSeconds: number }
  /** This server does not run the requested engine. */
  | { readonly kind: 'refused'; readonly problem: Problem }

/** The server's analyses. Finished ones are kept for a while. */
export interface Analyses {
  submit(request: AnalysisRequest): Submission
  /** Undefined for an unknown or expired id. */
  find(id: string): Analysis | undefined
  /** Events after sequence number `after`, as they happen; ends after the last. `all-seen`: there will be none. */
  events(id: string, after: number, signal: AbortSignal): AsyncIterable<AnalysisEvent> | 'all-seen' | undefined
  /** Removes it from the queue or ends its sweep; does nothing if it has ended. */
  cancel(id: string): Analysis | undefined
}

export interface PagesContext {
  readonly analyses: Analyses
  /** Only on the bot's server. */
  readonly repositories?: Repositories
  /** This machine's description, which takes seconds if Python has PyTorch. */
  readonly machine: () => Promise<Machine>
  /** The GPU if neither the request nor the machine has one. */
  readonly gpu: Gpu
  /** The engine for `auto`. If this is not `auto`, the server runs no other. */
  readonly engine: Engine | 'auto'
}

/**
 * Mounted at `/`, behind the server's checks (host, token, origin, body size). It answers `GET /` for browsers;
 * programs get JSON there. It sets its own Content-Security-Policy.
 */
export type Pages = (context: PagesContext) => Hono<Env>
