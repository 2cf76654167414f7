/** The estimate behind the interface of a probe: it runs nothing, and needs neither Python nor a GPU. */
import { setImmediate } from 'node:timers/promises'
import { MemoryMarkError } from '../base/errors.ts'
import { usableBytes } from '../gpus/catalogue.ts'
import { EstimateProbes } from './estimate.ts'
import type { Probe, ProbeContext, ProbedDevice, TrialOptions } from './probe.ts'
import type { Trial } from './trial.ts'

export class EstimatingProbe implements Probe {
  readonly engine = 'estimate'
  readonly provenance = 'estimated'
  readonly device: ProbedDevice
  readonly #probes: EstimateProbes

  constructor({ spec, config, footprints, gpu, limitMemoryBytes, entrypoint }: ProbeContext) {
    if (entrypoint !== undefined) throw needsPython()
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes ?? Number.POSITIVE_INFINITY) }
    this.#probes = new EstimateProbes(spec, config, capped, footprints)
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: '' }
  }

  async trial(microBatch: number, { accumulates = false }: TrialOptions = {}): Promise<Trial> {
    // Otherwise a sweep over many sizes would block signals and messages until it ends.
    await setImmediate()
    return this.#probes.of(accumulates).trial(microBatch)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function needsPython(): MemoryMarkError {
  return new MemoryMarkError({
    code: 'entrypoint-needs-torch',
    field: '--allow-entrypoint',
    message: 'only the torch engine runs an entry point',
    fix: 'Use --engine torch.',
  })
}
