/**
 * What the Action costs before it does anything: the size of its bundle and the time to its first log line.
 * Fails when the bundle is above 1 MB or the median of the starts above 150 ms.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { actionBundle, buildBundle } from '../scripts/bundles.ts'

const MAX_BYTES = 1_000_000
const MAX_START_MILLIS = 150
const RUNS = 9

const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-bench-'))
try {
  const bundle = path.join(folder, 'action.mjs')
  const event = path.join(folder, 'event.json')
  const [script] = (await buildBundle(actionBundle)).filter(({ name }) => name === actionBundle.outfile)
  if (script === undefined) throw new Error(`The build gave no ${actionBundle.outfile}.`)
  await writeFile(bundle, script.contents)
  await writeFile(event, JSON.stringify(pullRequestEvent()))

  const starts: number[] = []
  for (let run = 0; run < RUNS; run++) starts.push(await startMillis(bundle, event))
  const median = starts.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.POSITIVE_INFINITY
  console.log(`starts: ${starts.map(millis => millis.toFixed(0)).join(', ')} ms`)

  const passed = script.contents.byteLength <= MAX_BYTES && median <= MAX_START_MILLIS
  const size = (script.contents.byteLength / 1e6).toFixed(2)
  console.log(
    `${passed ? 'ok' : 'FAILED'}: bundle ${size} MB (at most 1), first log line after ${median.toFixed(0)} ms (at most ${MAX_START_MILLIS})`,
  )
  process.exitCode = passed ? 0 : 1
} finally {
  await rm(folder, { recursive: true })
}

/** From spawning Node to the first byte on standard output, which comes before any request. */
async function startMillis(bundle: string, event: string): Promise<number> {
  const before = performance.now()
  const child = spawn(process.execPath, [bundle], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: event, GITHUB_REPOSITORY: 'acme/models' },
  })
  await once(child.stdout, 'data')
  const millis = performance.now() - before
  child.kill()
  await once(child, 'exit')
  return millis
}

function pullRequestEvent() {
  const commit = { sha: 'a'.repeat(40) }
  return { pull_request: { number: 1, changed_files: 1, base: commit, head: commit } }
}
