/** What `--json` prints of every estimate, beside what a command adds. */
import * as z from 'zod'
import { reportedGpu } from '../../engine/report/schema.ts'
import { trainingSpec } from '../../engine/training/spec.ts'

export const printedOfAnyEstimate = {
  model: z.string(),
  spec: trainingSpec,
  gpu: reportedGpu,
  errorBandPercent: z.number(),
  errorBand: z.object({ lowPercent: z.number(), highPercent: z.number() }),
  batchSize: z.number(),
  peakBytes: z.number(),
  peakMoment: z.string(),
  usableBytes: z.number(),
  assumptions: z.array(z.string()),
}
