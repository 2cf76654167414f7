/** Runs as a team's file keeps them. */
import { version } from '../../engine/base/version.ts'
import type { CalibrationRun } from '../../engine/calibration/file.ts'
import { specOf } from '../../engine/config/adjusted-spec.ts'
import { resolveModel } from '../../engine/config/resolve-model.ts'

const resolution = await resolveModel('bert-base-uncased', {})
if (resolution.kind !== 'resolved') throw new Error('the catalogue lacks BERT')

export const bertSpec = specOf(resolution.model)

/** Measured as a multiple of what is estimated. */
export function runWith(
  ratios: { readonly speed?: number; readonly memory?: number },
  changes: Partial<CalibrationRun> = {},
): CalibrationRun {
  return {
    gpu: 'a10',
    spec: bertSpec,
    measured: {
      ...(ratios.speed !== undefined && { samplesPerSecond: 100 * ratios.speed }),
      ...(ratios.memory !== undefined && { peakBytes: 1e9 * ratios.memory }),
    },
    estimated: { samplesPerSecond: 100, peakBytes: 1e9 },
    toolVersion: version,
    from: 'trainer_state.json',
    calibratedAt: '2026-11-01T00:00:00.000Z',
    ...changes,
  }
}
