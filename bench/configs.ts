/**
 * Whether configs are read right: a corpus in the shapes that each tool's documentation shows, every one against its dialect,
 * batch size with line and column, accumulation, precision, optimizer, sequence length and outcome; files of other tools, of
 * which none may be taken for a training config; and job files, each against the GPUs that it asks for. Fails when anything
 * differs.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import * as z from 'zod'
import { position } from '../engine/base/position.ts'
import type { Decision, Setting } from '../engine/config/fields/fields.ts'
import { type Explanation, explainConfigAsync, readConfigAsync } from '../engine/config/read.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import type { Sources } from '../engine/config/sources.ts'
import { readAskedGpus } from './asked-gpus.ts'

const LIMITS = { configs: 160, others: 100, scripts: 70, jobs: 40 }

const corpus = new URL('./configs/', import.meta.url)

/** Null if neither the file nor its tool's default says it. */
const expectation = z.object({
  path: z.string(),
  /** The training's name, if the file starts several. */
  training: z.string().optional(),
  dialect: z.string(),
  microBatch: z.number().nullable(),
  batchSizeAt: position.nullable(),
  gradientAccumulation: z.number().nullable(),
  precision: z.string().nullable(),
  /** What the precision has in 16 bits is in float16. */
  inFloat16: z.literal(true).optional(),
  optimizer: z.string().nullable(),
  sequenceLength: z.number().nullable(),
  /** `spec`, or the code of the problem. */
  outcome: z.string(),
})
type Expectation = z.infer<typeof expectation>

const settings = ['microBatch', 'gradientAccumulation', 'precision', 'optimizer', 'sequenceLength'] as const

/** For a script whose training is at its end. */
const LONG_SCRIPT_LINES = 5_000
const ROUNDS = 25

/** CPU time: the median in a warm process. */
async function longScriptMillis(): Promise<number> {
  const rows = Array.from({ length: LONG_SCRIPT_LINES / 10 - 3 }, (_, index) => [
    `def step_${index}(batch, scale=${index}):`,
    '    """Scales what a batch has lost, and prints it where that is much."""',
    '    values = {"loss": scale, "rows": [row["text"] for row in batch]}',
    '',
    '    # Most batches lose less than that.',
    '    if scale > 3 and values["loss"] != 0:',
    '        print(f"{index}: {values}", len(batch), sep=", ")',
    '    return transform(values, keys=("input_ids", "labels"))',
    '',
    '',
  ])
  const text = [...rows.flat(), textOf('training/python/qlora-sft.py')].join('\n')
  const millis: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.threadCpuUsage()
    // What was read under the same path would not be parsed again.
    await readConfigAsync({ path: `long-${round}.py`, text }, {})
    const { user, system } = process.threadCpuUsage(before)
    millis.push((user + system) / 1_000)
  }
  return millis.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
}

function textOf(path: string): string {
  return readFileSync(new URL(path, corpus), 'utf8')
}

/** Scripts with their launchers, which are read together. */
const LAUNCHED = 'launched/'

function sourcesIn(folder: string): Sources {
  return {
    readFile: async path => {
      const file = new URL(folder + path, corpus)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
    listFolder: async path => {
      const listed = new URL(`${folder}${path}/`, corpus)
      return existsSync(listed) ? readdirSync(listed) : []
    },
  }
}

/** The same statements as a notebook: a cell for each top-level paragraph, after a cell that installs packages. */
function asNotebook(script: string): string {
  const paragraphs = script.split(/\n(?=\n+[^\s#)\]}])/)
  const cells = ['%pip install trl peft\n!nvidia-smi\n', ...paragraphs].map(text => ({
    cell_type: 'code',
    metadata: {},
    outputs: [],
    source: text.split(/(?<=\n)/),
  }))
  return JSON.stringify({ cells, nbformat: 4 }, undefined, 1)
}

/** The expectation for a script, with the notebook's line numbers. */
async function differencesAsNotebook({ batchSizeAt, ...expected }: Expectation): Promise<readonly string[]> {
  const text = asNotebook(textOf(`training/${expected.path}`))
  const path = expected.path.replace(/\.py$/, '.ipynb')
  const found = await differencesIn({ path, text }, { ...expected, batchSizeAt: null })
  return found.filter(difference => batchSizeAt === null || !difference.startsWith('position'))
}

/** What differs, one sentence each. */
async function differencesIn(source: SourceFile, expected: Expectation): Promise<readonly string[]> {
  const { training } = expected
  const sources = source.path.startsWith(LAUNCHED) ? sourcesIn('training/') : {}
  const explanation = await explainConfigAsync(
    { ...source, ...(training && { training: { name: training } }) },
    sources,
  )
  if (explanation.kind === 'not-recognised') return ['it is not recognised']
  const found = new Map<Setting, Decision>(explanation.decisions.map(decision => [decision.setting, decision]))
  return [
    ...differs('dialect', expected.dialect, explanation.dialect),
    ...differs('outcome', expected.outcome, outcomeOf(explanation)),
    ...settings.flatMap(setting => differs(setting, expected[setting], found.get(setting)?.value ?? null)),
    ...differs('inFloat16', expected.inFloat16 ?? null, found.get('inFloat16')?.value ?? null),
    ...differs('position', expected.batchSizeAt, placeOf(explanation, found.get('microBatch'))),
  ]
}

function differs(what: string, expected: unknown, found: unknown): readonly string[] {
  const [left, right] = [JSON.stringify(expected), JSON.stringify(found)]
  return left === right ? [] : [`${what} is ${right} instead of ${left}`]
}

type Recognised = Extract<Explanation, { kind: 'recognised' }>

function outcomeOf({ reading }: Recognised): string {
  switch (reading.kind) {
    case 'training-config':
      return 'spec'
    case 'not-a-training-config':
      return reading.kind
    case 'unreadable':
      return reading.problems[0]?.code ?? reading.kind
  }
}

/** The position of the batch size, or of the problem if refused. */
function placeOf({ reading }: Recognised, decision: Decision | undefined): z.infer<typeof position> | null {
  if (decision?.from.kind === 'field') return decision.from.field.at
  if (decision !== undefined || reading.kind !== 'unreadable') return null
  const refused = reading.problems.find(({ field }) => field !== undefined && /batch(?:_size)?$/.test(field))
  return refused?.line && refused.column ? { line: refused.line, column: refused.column } : null
}

const expectations = z.array(expectation).parse(JSON.parse(textOf('expected.json')))
const wrong: string[] = []
let notebooks = 0
for (const expected of expectations) {
  const { path } = expected
  const differences = await differencesIn({ path, text: textOf(`training/${path}`) }, expected)
  for (const difference of differences) wrong.push(`${path}: ${difference}`)
  if (!path.endsWith('.py') || path.startsWith(LAUNCHED)) continue
  notebooks += 1
  for (const difference of await differencesAsNotebook(expected)) wrong.push(`${path}: as a notebook, ${difference}`)
}
const misread = new Set(wrong.map(line => line.slice(0, line.indexOf(':'))))

const others = readdirSync(new URL('other/', corpus), { recursive: true, encoding: 'utf8' }).filter(name =>
  statSync(new URL(`other/${name}`, corpus)).isFile(),
)
const taken: string[] = []
for (const name of others) {
  const sources = name.startsWith(LAUNCHED) ? sourcesIn('other/') : {}
  const reading = await readConfigAsync({ path: name, text: textOf(`other/${name}`) }, sources)
  if (reading.kind !== 'not-a-training-config') taken.push(name)
}

const jobs = await readAskedGpus(corpus)
for (const line of [...wrong, ...jobs.wrong]) console.log(line)
for (const name of taken) console.log(`other/${name}: taken for a training config`)
const read = expectations.length - misread.size
const scripts = [...expectations.map(({ path }) => path), ...others].filter(path => path.endsWith('.py')).length
const isShort =
  wrong.length > 0 ||
  taken.length > 0 ||
  jobs.wrong.length > 0 ||
  jobs.total < LIMITS.jobs ||
  read < LIMITS.configs ||
  others.length < LIMITS.others ||
  scripts < LIMITS.scripts
console.log(
  `${read} of ${expectations.length} configs in ${new Set(expectations.map(({ dialect }) => dialect)).size} dialects read right; ` +
    `${others.length - taken.length} of ${others.length} other files left alone; ${jobs.wrong.length === 0 ? `the GPUs of ${jobs.total} job files` : 'not all GPUs of job files'} read right; ${scripts} of all are scripts, ${notebooks} of them read alike as notebooks, and one of ${LONG_SCRIPT_LINES.toLocaleString('en-US')} lines is read in ${(await longScriptMillis()).toFixed(0)} ms`,
)
process.exitCode = isShort ? 1 : 0
