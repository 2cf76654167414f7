/**
 * The real bundle, as a runner would start it: every event and mode end to end against an emulated GitHub, what its scripts weigh,
 * and how soon it says its first word.
 *
 * MEMORYMARK_KNOWN_ACTIONS names a folder of published actions, each as `<owner>/<name>@<version>/` with its action.yml and dist/;
 * they are then started in turns with ours, in the same environment.
 *
 * Fails when an event comes to something else than it must, when what a check reads is above 1 MB, or when the median of the starts
 * is above 150 ms.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { report } from '../engine/index.ts'
import { actionBundle, type BuiltFile, buildBundle } from '../scripts/bundles.ts'
import { type ActionRun, BundledAction } from '../test/action/run-action.ts'
import { type EmulatedGitHub, startGitHub } from '../test/github/index.ts'
import { opened, type Scene, scenes, tooLarge } from './action/scenes.ts'
import { knownActions, type StartableAction, startMillis } from './action/starts.ts'

const MAX_CHECK_BYTES = 1_000_000
const MAX_START_MILLIS = 150
const ROUNDS = 15

const files = (await buildBundle(actionBundle)).filter(({ name }) => name.endsWith('.js'))
const bytesOf = (built: readonly BuiltFile[]) => built.reduce((sum, { contents }) => sum + contents.byteLength, 0)
const checkBytes = bytesOf(readBy('check'))

await using github = await startGitHub()
await using action = await BundledAction.build()
const failures = await playScenes(github)
const startsMillis = await raceStarts(github)
const ownMillis = startsMillis.get(actionBundle.outfile) ?? Number.POSITIVE_INFINITY

const passed = failures === 0 && checkBytes <= MAX_CHECK_BYTES && ownMillis <= MAX_START_MILLIS
console.log(
  `${passed ? 'ok' : 'FAILED'}: ${scenes.length - failures} of ${scenes.length} events as they must be; a check reads ${megabytes(checkBytes)} MB (at most 1), all modes together are ${megabytes(bytesOf(files))} MB; first output after ${ownMillis.toFixed(0)} ms (at most ${MAX_START_MILLIS})`,
)
process.exitCode = passed ? 0 : 1

/** The number of scenes with an unexpected outcome. */
async function playScenes(world: EmulatedGitHub): Promise<number> {
  const token = await world.actionsToken()
  let failed = 0
  for (const scene of scenes) {
    const prepared = await scene.prepare(world)
    const requestsBefore = world.requests.length
    const before = performance.now()
    const run = await action.run({ github: world, token, ...prepared })
    const millis = performance.now() - before
    const requests = world.requests.length - requestsBefore
    const objection = objectionTo(scene, run)
    if (objection !== undefined) failed++
    console.log(
      `${scene.name}: ${millis.toFixed(0)} ms, ${requests} requests${objection ? ` FAILED: ${objection}` : ''}`,
    )
  }
  return failed
}

function objectionTo({ exitCode, configs, says }: Scene, run: ActionRun): string | undefined {
  const paths = run.report === undefined ? undefined : report.parse(run.report).configs.map(config => config.path)
  if (run.exitCode !== exitCode) return `exit code ${run.exitCode}, not ${exitCode}: ${run.log}`
  if (JSON.stringify(paths) !== JSON.stringify(configs)) return `${JSON.stringify(paths)} in the report`
  return says?.test(run.log) === false ? `the log does not say ${says}` : undefined
}

/** Median times by name, of interleaved starts. */
async function raceStarts(world: EmulatedGitHub): Promise<ReadonlyMap<string, number>> {
  const folder = process.env.MEMORYMARK_KNOWN_ACTIONS
  const known = folder === undefined ? [] : await knownActions(folder)
  if (known.length === 0)
    console.log('Compared with no other action: MEMORYMARK_KNOWN_ACTIONS names no folder of them.')
  const own: StartableAction = {
    name: actionBundle.outfile,
    script: action.script,
    bytes: checkBytes,
    inputs: action.defaultInputs,
  }
  const { repository } = await opened(world, { 'new.yaml': tooLarge })
  const token = await world.actionsToken()
  const runFolder = await mkdtemp(path.join(tmpdir(), 'memorymark-starts-'))
  try {
    const environment = await environmentIn(runFolder, world, repository.fullName)
    const starts = new Map([own, ...known].map(each => [each, [] as number[]]))
    for (let round = 0; round < ROUNDS; round++) {
      for (const [each, millis] of starts) millis.push(await startMillis(each, environment, token))
    }
    const medians = Array.from(starts, ([each, millis]) => ({ ...each, median: median(millis), millis }))
    for (const { name, bytes, median: middle, millis } of medians) {
      const range = `${Math.min(...millis).toFixed(0)} to ${Math.max(...millis).toFixed(0)}`
      console.log(`${name}: ${megabytes(bytes)} MB, first output after ${middle.toFixed(0)} ms (${range})`)
    }
    return new Map(medians.map(({ name, median: middle }) => [name, middle]))
  } finally {
    await rm(runFolder, { recursive: true })
  }
}

/** Environment variables that every action gets from a runner. */
async function environmentIn(folder: string, world: EmulatedGitHub, repository: string): Promise<NodeJS.ProcessEnv> {
  const file = (name: string) => path.join(folder, name)
  const event = world.deliveries.findLast(delivery => delivery.event === 'pull_request')
  await writeFile(file('event.json'), event?.body ?? '{}')
  for (const name of ['outputs', 'summary.md', 'state', 'env']) await writeFile(file(name), '')
  return {
    PATH: process.env.PATH,
    HOME: folder,
    RUNNER_TEMP: folder,
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: world.url,
    GITHUB_ENV: file('env'),
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: file('event.json'),
    GITHUB_OUTPUT: file('outputs'),
    GITHUB_REF: 'refs/pull/1/merge',
    GITHUB_REPOSITORY: repository,
    GITHUB_SHA: 'f'.repeat(40),
    GITHUB_STATE: file('state'),
    GITHUB_STEP_SUMMARY: file('summary.md'),
    GITHUB_WORKSPACE: folder,
  }
}

/** The entry, the mode's script, the limited process's script, and their imports. */
function readBy(mode: string): BuiltFile[] {
  const entry = files.find(({ name }) => name === actionBundle.outfile)
  const own = files.find(({ name }) => name === `dist/action-${mode}.js`)
  const limited = files.find(({ name }) => name === 'dist/action-analysis.js')
  if (entry === undefined || own === undefined || limited === undefined)
    throw new Error(`The build has no script for ${mode}.`)
  const read = new Set([entry, own, limited])
  for (const file of read) {
    const script = Buffer.from(file.contents).toString()
    const imported = Array.from(script.matchAll(/(?:\bfrom|\bimport)"\.\/([^"]+)"/g), ([, name]) => `dist/${name}`)
    for (const other of files) if (imported.includes(other.name)) read.add(other)
  }
  return [...read]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2)
}
