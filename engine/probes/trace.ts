/** The trace: PyTorch's own graph of the step on the meta device, without a GPU. The oracle of the tape. */
import * as z from 'zod'
import type { TrainingSpec } from '../config/spec.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { Answer, PythonWorker } from './worker.ts'

const bytes = z.number().int().min(0)

const traced = z.object({
  /** Peak of the second step, allocations rounded as the caching allocator does; no cuBLAS workspace on the meta device. */
  peakBytes: bytes,
  forwardBackwardPeakBytes: bytes,
  weightBytes: bytes,
  /** Between steps: weights, buffers and optimizer state. */
  restingBytes: bytes,
  parameters: z.number().int().min(0),
})
export type Traced = z.infer<typeof traced>

const versions = z.object({ python: z.string(), torch: z.string(), transformers: z.string() })
export type Versions = z.infer<typeof versions>

const TRACE_TIMEOUT_MILLIS = 120_000

export function trace(worker: PythonWorker, spec: TrainingSpec, config: ModelConfig): Promise<Answer<Traced>> {
  return worker.ask('trace', { spec, config }, traced, TRACE_TIMEOUT_MILLIS)
}

export function pythonVersions(worker: PythonWorker): Promise<Answer<Versions>> {
  return worker.ask('versions', {}, versions, TRACE_TIMEOUT_MILLIS)
}
