/**
 * How far the estimates are from readings of real GPUs that others have published. `node bench/published.ts readings.json …` also
 * compares memory readings of further files. Fails when a goal is missed. Without a network, models come from the catalogue and the
 * cache.
 */
import { memoryHolds } from './published/memory.ts'

process.exitCode = (await memoryHolds(process.argv.slice(2))) ? 0 : 1
