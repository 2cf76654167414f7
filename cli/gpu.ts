/** The GPU that `--gpu` names. */

import { findGpu } from '../engine/gpus/catalogue.ts'
import { priced } from '../engine/gpus/priced.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import { gpuFlag } from './arguments.ts'
import { type SettingsFlags, settingsOrThrow } from './settings.ts'

/** A GPU of the catalogue or of the settings, at the team's price; undefined without the flag. */
export async function namedGpu(values: SettingsFlags & { readonly gpu?: string | undefined }, engine: IsolatedEngine) {
  if (values.gpu === undefined) return undefined
  if (findGpu(values.gpu) !== undefined) return gpuFlag(values.gpu)
  const { gpus, pricesPerHourUsd, source } = await settingsOrThrow(values, engine)
  const gpu = gpuFlag(values.gpu, gpus)
  return priced(gpu, pricesPerHourUsd[gpu.id], source, new Date())
}
