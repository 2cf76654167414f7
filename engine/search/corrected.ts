/** A predicted peak, corrected by the peaks of the sizes that were tried. */

export interface KnownPeak {
  readonly predictedBytes: number
  readonly peakBytes: number
}

/**
 * Memory is nearly affine in the batch, both predicted and real, so known peaks over predicted ones lie on line
 * segments: one between each two known sizes, the last extended by its own length. Beyond them, the nearest end's ratio
 * is used.
 */
export function corrected(known: readonly KnownPeak[]): (predictedBytes: number) => number {
  const points = known.toSorted((a, b) => a.predictedBytes - b.predictedBytes)
  const [first, last] = [points[0], points.at(-1)]
  return predictedBytes => {
    if (first === undefined || last === undefined) return predictedBytes
    if (predictedBytes <= first.predictedBytes) return predictedBytes * (first.peakBytes / first.predictedBytes)
    const above = points.find(point => point.predictedBytes >= predictedBytes) ?? last
    const below = points.findLast(point => point.predictedBytes < above.predictedBytes) ?? first
    const span = above.predictedBytes - below.predictedBytes
    const slope = span === 0 ? 0 : (above.peakBytes - below.peakBytes) / span
    // Peaks that fall while they should rise are noise.
    if (slope <= 0) return predictedBytes * (above.peakBytes / above.predictedBytes)
    const end = Math.min(predictedBytes, above.predictedBytes + span)
    return (below.peakBytes + slope * (end - below.predictedBytes)) * (predictedBytes / end)
  }
}
