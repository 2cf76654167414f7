/**
 * How far the estimates are from readings of real GPUs that others have published. `node bench/published.ts readings.json …` also
 * compares memory readings of further files; `--write` derives the error bands anew. Fails when a goal is missed. Without a network, models come from the catalogue and the
 * cache.
 */
import { memoryHolds } from './published/memory.ts'

const paths = process.argv.slice(2).filter(argument => argument !== '--write')
const isWriting = process.argv.includes('--write')
process.exitCode = (await memoryHolds(paths, { isWriting })) ? 0 : 1
