/**
 * How far the estimates are from readings of real GPUs that others have published. Fails when a goal is missed or a stated band is
 * broken. `-- readings.json …` compares memory readings of further files too, `--throughput <file>` other readings of speed instead
 * of ours, and `--write` derives the bands of memory anew. Without a network, models come from the catalogue and the cache.
 */
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { memoryHolds } from './published/memory.ts'
import { throughputReport } from './published/throughput.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { throughput: { type: 'string' }, write: { type: 'boolean' } },
})
const memory = await memoryHolds(positionals, { isWriting: values.write === true })
const speed = await throughputReport(values.throughput === undefined ? undefined : pathToFileURL(values.throughput))
for (const line of speed.lines) console.log(line)
process.exitCode = memory && speed.holds ? 0 : 1
