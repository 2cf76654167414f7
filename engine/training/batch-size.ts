/** A number of samples, as every spec and report states it. */
import * as z from 'zod'

/** Above this, no GPU in the catalogue has even one byte per sample: a typo, not a batch size. */
export const MAX_BATCH = 1_000_000

export const batchSize = z.number().int().min(1).max(MAX_BATCH)
