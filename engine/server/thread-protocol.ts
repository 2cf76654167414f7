/** What the server and the threads that run its analyses say to each other. */
import type { Machine } from '../probes/device.ts'
import type { Engine } from '../probes/probe.ts'
import type { AnalysisRequest, Ending, Progress } from './analysis.ts'

/** What stays the same for all analyses of a thread. */
export interface ThreadSettings {
  readonly engine: Engine | 'auto'
  readonly gpuId: string
  /** The interpreter's command. */
  readonly python: string
  /** Whether models that the catalogue lacks are looked for on the Hugging Face Hub. */
  readonly asksHub: boolean
}

/** To the thread: one `run` at a time; `cancel` ends it. */
export type Order =
  | { readonly kind: 'run'; readonly request: AnalysisRequest; readonly machine: Machine }
  | { readonly kind: 'cancel' }

/** From the thread: progress, then one ending for each `run`. `crashed` is a bug of ours. */
export type Message = Progress | Ending | { readonly kind: 'crashed'; readonly stack: string }
