/** Idle GPU memory: called waste at the current batch, headroom at the recommended one. */

interface Capacity {
  readonly usableBytes: number
}
interface Load {
  readonly peakBytes: number
}

/** Peak over usable memory, as a fraction; above 1 where it does not fit. Infinite on a GPU with nothing usable. */
export function shareOfUsable({ usableBytes }: Capacity, { peakBytes }: Load): number {
  return usableBytes === 0 ? Number.POSITIVE_INFINITY : peakBytes / usableBytes
}

/** Idle usable bytes; never negative. */
export function idleBytes({ usableBytes }: Capacity, { peakBytes }: Load): number {
  return Math.max(0, usableBytes - peakBytes)
}

/** Idle memory in percent of usable memory. */
export function idlePercent(gpu: Capacity, load: Load): number {
  return gpu.usableBytes === 0 ? 0 : (100 * idleBytes(gpu, load)) / gpu.usableBytes
}

/** Bytes by which the peak goes over; 0 where it fits. */
export function missingBytes({ usableBytes }: Capacity, { peakBytes }: Load): number {
  return Math.max(0, peakBytes - usableBytes)
}
