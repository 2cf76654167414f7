/** Prices that override the catalogue's. */
import type { Gpu } from './card.ts'

/** The GPU at the given price, if one is given and differs. */
export function priced(gpu: Gpu, pricePerHourUsd: number | undefined, priceSource: string, now: Date): Gpu {
  if (pricePerHourUsd === undefined) return gpu
  const { priceCaveat: _, ...known } = gpu
  if (pricePerHourUsd === gpu.pricePerHourUsd) return known
  return { ...known, pricePerHourUsd, priceSource, priceDate: now.toISOString().slice(0, 10) }
}
