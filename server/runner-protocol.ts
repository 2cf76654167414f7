/** The orders of the server to its analysis process. Each step of an order is a `Progress`, its result an `Ending`. */
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { Machine } from '../engine/probes/device.ts'
import type { Engine } from '../engine/probes/engines.ts'
import type { RepositorySettings } from '../engine/settings/settings.ts'
import type { AnalysisRequest } from './analysis.ts'

/** The same for all analyses of a server. */
export interface RunnerSettings {
  readonly engine: Engine | 'auto'
  readonly gpu: Gpu
  /** The team's GPUs, prices, policy and runs. */
  readonly team: RepositorySettings
  /** The interpreter's command. */
  readonly python: string
  /** Whether models that the catalogue lacks are looked for on the Hugging Face Hub. */
  readonly asksHub: boolean
}

export interface RunOrder {
  readonly kind: 'run'
  readonly settings: RunnerSettings
  readonly request: AnalysisRequest
  readonly machine: Machine
}
