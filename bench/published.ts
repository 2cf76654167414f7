/**
 * How far the estimates are from readings of real GPUs that others have published: `node bench/published.ts [readings.json …]`
 * also compares the memory readings of those files. Fails when a goal is missed. Without a network, models come from the catalogue
 * and the cache.
 */
import { memoryHolds } from './published/memory.ts'

const memory = new URL('published/memory.json', import.meta.url)
process.exitCode = (await memoryHolds([memory, ...process.argv.slice(2)])) ? 0 : 1
