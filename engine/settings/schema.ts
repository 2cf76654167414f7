/**
 * `.github/memorymark.yml` as teams write it. The reader and docs/memorymark.schema.json both come from this schema. Its error
 * texts say what a value must be, to follow "is not" and "Write".
 */
import * as z from 'zod'
import { MemoryMarkError } from '../base/errors.ts'
import { quote } from '../config/text/quote.ts'
import { findGpu, gpuKey, gpus } from '../gpus/catalogue.ts'
import { isPlaygroundAddress } from '../report/playground-address.ts'
import { MAX_BATCH } from '../training/batch-size.ts'
import { tasks } from '../training/choices.ts'
import { MAX_COLUMNS, MAX_FRAMES, MIN_COLUMNS } from '../training/spec.ts'
import { libraryVersions, versionedLibraries } from '../training/versions.ts'
import { parseConditions } from '../verdict/policy.ts'
import { compileGlob } from './glob.ts'
import { isSchedule } from './schedule.ts'

/** What a pull request is judged on: what it makes worse, or everything bad in the configs that it changes. */
const judgements = ['changed', 'all'] as const
export type Judgement = (typeof judgements)[number]

const GPU_NAME_WORDS = 'a name of letters, digits, spaces, dots, dashes and underscores, at most 60'
const GPUS_WORDS = 'a list of GPUs, each with name and memory_gib'

const CALIBRATION_WORDS = 'the path of a JSON file, such as .github/memorymark-calibration.json'

const PLAYGROUND_WORDS = 'the https address of a page, such as https://example.com/playground/, or never'

const MAX_GLOBS = 200
const MAX_OVERRIDES = 500

/** All globs of a list together: each is held against every path. */
const MAX_GLOB_CHARACTERS = 20_000

const glob = text('a glob, such as configs/**/*.yaml', 500).superRefine((written, context) => {
  const pattern = compileGlob(written)
  if (pattern.kind === 'pattern') return
  const message = `The glob ${quote(written)} ${pattern.why}`
  context.addIssue({ code: 'custom', message, params: { fix: GLOB_FIX } })
})
const GLOB_FIX = 'A glob may use *, ?, ** over folders, classes such as [a-z], and alternatives such as {yaml,yml}.'
const globs = z
  .array(glob, 'a list of globs')
  .max(MAX_GLOBS, `a list of at most ${MAX_GLOBS} globs`)
  .refine(isShortEnough, tooLong('These globs have'))
const catalogueIds = gpus.map(({ id }) => id)
const catalogued = gpuIn(catalogueIds)

const MAX_GPUS = 50
const gpuName = z
  .string(GPU_NAME_WORDS)
  .regex(/^[A-Za-z0-9][\w .-]{0,59}$/, GPU_NAME_WORDS)
  .superRefine((name, context) => {
    const known = findGpu(name)
    if (known === undefined && gpuKey(name) !== '') return
    const message = `The name ${quote(name)} ${known ? `is already the ${known.name} of the catalogue` : 'says nothing about the GPU'}`
    const fix = `Give it a name of its own${known ? `, or write gpu: ${known.id} without describing it` : ', such as our-mi210'}.`
    context.addIssue({ code: 'custom', message, params: { fix } })
  })
const tflops = (precision: string) =>
  within(0.01, 1_000_000).describe(`Dense TFLOP/s in ${precision}, as on the data sheet.`).optional()

const describedKeys = {
  name: gpuName.describe('The name by which gpu and --gpu choose it.'),
  memory_gib: within(0.1, 10_000).describe(
    'Memory in GiB as PyTorch reports it: torch.cuda.get_device_properties(0).total_memory / 2**30.',
  ),
  bandwidth_gb_per_second: within(1, 1_000_000)
    .describe('Memory bandwidth in GB/s, as on the data sheet. Without it, only memory is judged.')
    .optional(),
  fp32_tflops: tflops('fp32'),
  tf32_tflops: tflops('TF32; leave it out for a GPU that has none'),
  fp16_tflops: tflops('fp16, accumulating in fp32. Default: as bf16_tflops'),
  bf16_tflops: tflops('bf16; leave it out for a GPU that has none. Without any TFLOP/s, only memory is judged'),
  link_gb_per_second: within(0.1, 100_000)
    .describe('GB/s to another GPU of the same server, one way. Default 32, as PCIe 4.0 has it.')
    .optional(),
  dollars_per_hour: positive(10_000)
    .describe('What one hour of it costs you, in US dollars. Without it, nothing is said in dollars.')
    .optional(),
}
const describedGpus = z
  .array(z.strictObject(describedKeys, 'a GPU: a mapping with name and memory_gib'), GPUS_WORDS)
  .max(MAX_GPUS, `a list of at most ${MAX_GPUS} GPUs`)
  .superRefine((described, context) => {
    const names = described.map(({ name }) => gpuKey(name))
    for (const [index, key] of names.entries()) {
      if (names.indexOf(key) === index) continue
      const message = `Another GPU of this list has the name ${quote(described[index]?.name ?? '')}`
      const params = { fix: 'Give each a name of its own; case, spaces and dashes do not count.' }
      context.addIssue({ code: 'custom', message, path: [index, 'name'], params })
    }
  })

const pricePerHourUsd = positive(10_000)
const hoursPerRun = positive(100_000).describe('Wall-clock hours of one run at the current batch size. Default 2.')
const runsPerYear = positive(1_000_000).describe('Training runs per year. Default 100.')

const conditions = z
  .union([z.string(), z.array(z.string())], 'a condition, such as "waste > 40 %", or a list of them')
  .transform((written, context) => {
    try {
      return parseConditions([written].flat().join(', '), '')
    } catch (error) {
      if (!(error instanceof MemoryMarkError)) throw error
      const { message, fix } = error.problem
      context.addIssue({ code: 'custom', message, params: { fix } })
      return z.NEVER
    }
  })

const versions = libraryVersions
  .describe(
    'Versions of the libraries that the training runs on, such as transformers: "4.48.1". Default: what the nearest lock file, requirements or pyproject.toml says, or else the newest.',
  )
  .optional()

const expandableSegments = z
  .boolean('true or false')
  .describe(
    'Whether the training runs with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True. Default: what the config or its tool sets.',
  )
  .optional()

const overrideKeys = (gpu: GpuNames) => ({
  path: glob.describe('The configs that this applies to, relative to the root of the repository.'),
  gpu: gpu.describe('The GPU that these configs run on.').optional(),
  model: text('a model: its Hub id, or its name in the catalogue', 200)
    .describe('The model that these configs train, as its id on the Hugging Face Hub.')
    .optional(),
  task: z.enum(tasks, 'a task').describe('What the model is trained for.').optional(),
  sequence_length: wholeNumber(10_000_000).describe('Tokens of the longest sequence.').optional(),
  mean_length: wholeNumber(10_000_000)
    .describe(
      'Tokens of the mean sample, where samples are not packed, by your own tokenizer: the report then has a step on such samples beside one on the longest.',
    )
    .optional(),
  image_size: wholeNumber(100_000).describe("Pixels of the square image's side.").optional(),
  video_frames: wholeNumber(MAX_FRAMES)
    .describe('Frames of the video in every sample, as the tool samples them; image_size is the side of a frame.')
    .optional(),
  labels: wholeNumber(1_000_000).describe('Classes of a classification head.').optional(),
  sentence_columns: wholeNumber(MAX_COLUMNS, MIN_COLUMNS)
    .describe('Texts of a sample for embeddings of sentences: 2 for pairs, 3 for triplets.')
    .optional(),
  gpus: wholeNumber(100_000).describe('The number of GPUs that train together, as given to the launcher.').optional(),
  versions,
  expandable_segments: expandableSegments,
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional(),
})

const scheduleWords = 'a schedule, such as "0 6 * * 1", or never'
const reportKeys = {
  schedule: z
    .string(scheduleWords)
    .max(100, scheduleWords)
    .refine(written => written === 'never' || isSchedule(written), {
      error: 'This is not a valid schedule with at most one report per day',
      params: {
        fix: 'Write minute, hour, day of the month (1 to 28), month and day of the week, such as "0 6 * * 1", or never.',
      },
    })
    .describe(
      'When to update the issue that reports on the default branch: minute, hour, day of the month, month and day of the week, in UTC. `never` for no report. Default 0 6 * * 1.',
    )
    .optional(),
}

/** Which workflow measures on a GPU: the one that pull requests run themselves, or one that the bot dispatches. */
const measuring = ['pull-request', 'dispatch'] as const

const workflowWords = 'the path of a workflow, such as .github/workflows/memorymark-sweep.yml'
const measureKeys = {
  by: z
    .enum(measuring, '"pull-request" or "dispatch"')
    .describe(
      'Which GPU run is due: that of the workflow that pull requests run themselves (`pull-request`), or one on the default branch that the bot dispatches with the head commit as data (`dispatch`), which works for pull requests from forks too.',
    ),
  workflow: z
    .string(workflowWords)
    .regex(/^\.github\/workflows\/[\w.-]{1,200}\.ya?ml$/, workflowWords)
    .describe(
      'The workflow that measures. Default: for `pull-request` the one that the bot was started with, for `dispatch` .github/workflows/memorymark-sweep.yml.',
    )
    .optional(),
  wait_minutes: wholeNumber(1_440)
    .describe('Minutes after which the check stops waiting for the GPU run and uses the estimate. Default 60.')
    .optional(),
}

const fileKeys = (gpu: GpuNames) => ({
  paths: globs
    .describe('Only files that match one of these globs are read. Default: every YAML, JSON and Python file.')
    .optional(),
  ignore: globs.describe('Files that match one of these globs are ignored.').optional(),
  gpu: gpu
    .describe(
      'The GPU that the training runs on. Default: what the job that starts the training asks for (Slurm, SkyPilot, Kubernetes, dstack, Modal, Beam, or a machine type of AWS, Azure or Google Cloud). If no GPU is named, an A10 is assumed, and nothing blocks.',
    )
    .optional(),
  gpus: describedGpus
    .describe(
      'GPUs that the catalogue lacks, described by hand. Each may then be named wherever one of the catalogue may.',
    )
    .optional(),
  prices: z
    .partialRecord(catalogued, pricePerHourUsd, 'a list of prices by GPU, such as a10: 0.75')
    .describe('What one hour of each GPU costs you, in US dollars.')
    .optional(),
  versions,
  expandable_segments: expandableSegments,
  hours_per_run: hoursPerRun.optional(),
  runs_per_year: runsPerYear.optional(),
  'fail-on': conditions
    .describe(
      'What blocks a pull request: `waste > 40 %`, `throughput-loss > 10 %` (or `… at the same effective batch`), `annual-cost > $500`, `does-not-fit`, or `never`. A config that does not fit blocks under all of them but `never`. Default: `throughput-loss > 20 % at the same effective batch`, if that saves $50 or 50 GPU hours a year.',
    )
    .optional(),
  'warn-on': conditions.describe('What gives a warning without blocking, written like fail-on.').optional(),
  judge: z
    .enum(judgements, '"changed" or "all"')
    .describe(
      'Whether a config that was already bad on the base branch blocks a pull request that makes it no worse: `changed` (the default) does not block, `all` does.',
    )
    .optional(),
  step_size: wholeNumber(MAX_BATCH)
    .describe('Every batch size up to this one is tried, then its multiples. Default 8.')
    .optional(),
  margin_percent: within(0, 90)
    .describe('Percentage of usable memory that a recommended batch leaves free. Default 5.')
    .optional(),
  calibration: z
    .string(CALIBRATION_WORDS)
    .regex(/^(?!.*\.\.)[\w][\w./-]{0,199}\.json$|^\.github\/(?!.*\.\.)[\w./-]{1,190}\.json$/, CALIBRATION_WORDS)
    .describe(
      'The file in which `memorymark calibrate` keeps what your runs measured. Estimates for the GPUs in it are corrected by them.',
    )
    .optional(),
  playground: z
    .string(PLAYGROUND_WORDS)
    .refine(written => written === 'never' || isPlaygroundAddress(written), PLAYGROUND_WORDS)
    .describe(
      'Where the playground is that comments link to, with the config in the part of the address that browsers send to nobody: a copy of your own (`npm run build:site`), or `never` for no link. Default: on github.com, the page that the repository of the Action publishes; for the bot, what its operator set; elsewhere none.',
    )
    .optional(),
  measure: z
    .strictObject(measureKeys, 'a mapping with the key by')
    .describe("Requires a GPU run on pull requests that change training configs; the bot's check waits for it.")
    .optional(),
  report: z
    .strictObject(reportKeys, 'a mapping with a schedule')
    .describe("The bot's report on every config of the default branch.")
    .optional(),
  overrides: z
    .array(
      z.strictObject(overrideKeys(gpu), 'an override: a mapping with a path'),
      'a list of overrides, each with a path',
    )
    .max(MAX_OVERRIDES, `a list of at most ${MAX_OVERRIDES} overrides`)
    .refine(overrides => isShortEnough(overrides.map(({ path }) => path)), tooLong('The paths of these overrides have'))
    .describe(
      'Settings for some configs only, and what those configs cannot say themselves. If several match, the last one wins.',
    )
    .optional(),
})

/** Without GPUs of the team's own. */
export const settingsFile = z.strictObject(fileKeys(catalogued))
export type SettingsFile = z.infer<typeof settingsFile>

/** As `settingsFile`, where `gpu` may also name what the file itself describes. */
export function settingsFileWith(described: readonly string[]): typeof settingsFile {
  return described.length === 0 ? settingsFile : z.strictObject(fileKeys(gpuIn([...catalogueIds, ...described])))
}

/** For editors, which cannot know what a file describes: any name may be that of a GPU under gpus. */
export const settingsFileForEditors = z.strictObject(fileKeys(z.union([catalogued, gpuName])))

/** The keys that a mapping may have, by where it stands. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(settingsFile.shape)
  if (path.includes('versions')) return versionedLibraries
  switch (path[0]) {
    case 'prices':
      return catalogueIds
    case 'gpus':
      return Object.keys(describedKeys)
    case 'report':
      return Object.keys(reportKeys)
    case 'measure':
      return Object.keys(measureKeys)
    default:
      return Object.keys(overrideKeys(catalogued))
  }
}

type GpuNames = z.ZodType<string, string>

function gpuIn(names: readonly string[]): z.ZodEnum<Record<string, string>> {
  return z.enum(names as string[], 'a GPU in the catalogue')
}

function isShortEnough(written: readonly string[]): boolean {
  return written.reduce((sum, each) => sum + each.length, 0) <= MAX_GLOB_CHARACTERS
}

function tooLong(subject: string) {
  const error = `${subject} more than ${MAX_GLOB_CHARACTERS.toLocaleString('en-US')} characters together`
  return { error, params: { fix: 'Write globs that match several files each.' } }
}

function text(words: string, maxCharacters: number) {
  return z.string(words).min(1, words).max(maxCharacters, words)
}

function wholeNumber(max: number, min = 1) {
  const words = `a whole number from ${min} to ${max.toLocaleString('en-US')}`
  return z.int(words).min(min, words).max(max, words)
}

function positive(max: number) {
  const words = `a number above 0 and up to ${max.toLocaleString('en-US')}`
  return z.number(words).positive(words).max(max, words)
}

function within(min: number, max: number) {
  const words = `a number from ${min} to ${max}`
  return z.number(words).min(min, words).max(max, words)
}
