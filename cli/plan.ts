/** `memorymark plan`: which GPUs, how many, and which sharding strategy for the least cost. */

import { MemoryMarkError } from '../engine/base/errors.ts'
import { type Gpu, gpus } from '../engine/gpus/catalogue.ts'
import { sentencesOn } from '../engine/gpus/described.ts'
import { priced } from '../engine/gpus/priced.ts'
import { defaultLimits } from '../engine/isolated/limits.ts'
import { type Method, methods } from '../engine/plan/methods.ts'
import type { Plan, PlanOptions } from '../engine/plan/plan.ts'
import type { PlanRow } from '../engine/plan/row.ts'
import { isUnwritten, type Written } from '../engine/plan/snippets/snippet.ts'
import { snippetFor } from '../engine/plan/snippets/writers.ts'
import { toolOf } from '../engine/plan/strategy.ts'
import { numberedRows, renderPlan, renderSnippet } from '../engine/render/plan.ts'
import { type RepositorySettings, settingsFor } from '../engine/settings/settings.ts'
import type { Subject } from '../engine/subject.ts'
import { gpuFlag, numberFlag, oneOf, parseFlags } from './arguments.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { type NamedCards, namedCards } from './plan-cards.ts'
import { lineLength, print, printJson, sentenceLines } from './print.ts'
import { settingsOrThrow } from './settings.ts'
import { changesOf, specOptions } from './spec-flags.ts'
import { planSubject } from './subject.ts'

const options = {
  ...specOptions,
  'max-gpus': { type: 'string' },
  'effective-batch': { type: 'string' },
  method: { type: 'string' },
  'samples-per-run': { type: 'string' },
  'hours-per-run': { type: 'string' },
  gpu: { type: 'string' },
  top: { type: 'string' },
  write: { type: 'string' },
  json: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof parseFlags<typeof options>>['values']

const MAX_GPUS = 64
const MOST_GPUS = 1_024
const SHOWN_ROWS = 10

/** A plan estimates hundreds of arrangements: a 405B model's takes some seconds. */
const limits = { fileMillis: 60_000, totalMillis: 60_000, heapMib: 2 * defaultLimits.heapMib }

export async function plan(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, options)
  await using engine = openEngine({ limits })
  const settings = await settingsOrThrow(values, engine)
  const { gpus: _, ...specValues } = values
  const named = namedCards(values.gpus, knownCards(settings), settings.gpus)
  const wanted = planOptions(values, named, positionals[0] ?? '', settings)
  const planned = await planSubject(positionals, specValues, engine, wanted)
  const { subject } = planned
  const plan = { ...planned.plan, assumptions: [...named.taken, ...planned.plan.assumptions] }
  const chosen = chosenRow(plan, values.write)
  if (values.json) printJson(summary(subject, plan, values.top && topOf(values)))
  else printPage(subject, plan, { top: topOf(values), chosen, cards: wanted.cards })
  return numberedRows(plan).length > 0 ? 0 : 1
}

function planOptions(values: Flags, named: NamedCards, path: string, settings: RepositorySettings): PlanOptions {
  const count = (flag: 'max-gpus' | 'effective-batch' | 'samples-per-run', max: number) =>
    numberFlag(`--${flag}`, values[flag], { integer: true, max })
  const changes = changesOf({ ...values, gpus: undefined })
  const said = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  const most = count('max-gpus', MOST_GPUS) ?? MAX_GPUS
  return {
    cards: named.cards,
    maxGpus:
      named.count === undefined ? most : Math.min(named.count, values['max-gpus'] === undefined ? MOST_GPUS : most),
    effectiveBatch: count('effective-batch', 1e6),
    methods: methodsOf(values.method),
    said: said as PlanOptions['said'],
    samplesPerRun: count('samples-per-run', 1e12),
    now: nowOf(values, path, settings),
    margin: settings.marginPercent === undefined ? undefined : settings.marginPercent / 100,
    calibration: settings.calibration,
  }
}

/** The catalogue and the team's own cards, at its prices. */
function knownCards(settings: RepositorySettings): readonly Gpu[] {
  return [...gpus, ...settings.gpus].map(gpu =>
    priced(gpu, settings.pricesPerHourUsd[gpu.id], settings.source, new Date()),
  )
}

function methodsOf(written: string | undefined): readonly Method[] | undefined {
  const named = written?.split(',').map(name => oneOf('--method', name.trim(), methods))
  return named?.filter(method => method !== undefined)
}

/** The duration of a run today and its GPU, if known. */
function nowOf(values: Flags, path: string, settings: RepositorySettings): PlanOptions['now'] {
  const own = settingsFor(path, settings)
  const said = numberFlag('--hours-per-run', values['hours-per-run'], { integer: false, max: 1e5 })
  const gpu = values.gpu === undefined ? own.gpu : gpuFlag(values.gpu, settings.gpus)
  if (said !== undefined && gpu === undefined) {
    throw new MemoryMarkError({
      code: 'usage',
      field: '--hours-per-run',
      message: 'it is not known on which GPU a run takes so long',
      fix: 'Add --gpu, or give the length as --samples-per-run.',
    })
  }
  const hoursPerRun = said ?? own.hoursPerRun
  return hoursPerRun === undefined || gpu === undefined ? undefined : { gpu, hoursPerRun }
}

function topOf(values: Flags): number {
  return numberFlag('--top', values.top, { integer: true, max: 10_000 }) ?? SHOWN_ROWS
}

interface ChosenRow {
  readonly number: number
  readonly row: PlanRow
}

/** The row with the given number; the cheapest by default. */
function chosenRow(plan: Plan, written: string | undefined): ChosenRow | undefined {
  const rows = numberedRows(plan)
  const number = numberFlag('--write', written, { integer: true, max: 1e6 })
  const row = rows[(number ?? 1) - 1]
  if (row === undefined && number !== undefined) {
    throw new MemoryMarkError({
      code: 'out-of-range',
      field: '--write',
      message: `there is no row ${number} among the ${rows.length}`,
      fix: 'Use a number of the table.',
    })
  }
  return row && { number: number ?? 1, row }
}

/** The file name for config lines of a bare model. */
const CONFIG_NAME = 'train.yaml'

function snippetOf({ dialect, path, batchSetting }: Subject, row: PlanRow): Written {
  return snippetFor({ ...row, config: dialect === undefined ? CONFIG_NAME : path, batchSetting }, toolOf(dialect))
}

/** `lines` is null where the tool has none for the row, and `unwritten` then says why. */
function linesOf(subject: Subject, row: PlanRow) {
  const written = snippetOf(subject, row)
  return isUnwritten(written) ? { lines: null, unwritten: written.why } : { lines: written }
}

/** One object for scripts: every row, unless --top says how many of a section. */
function summary(subject: Subject, plan: Plan, top: number | '' | undefined) {
  return {
    model: subject.spec.model,
    ...plan,
    samplesPerRun: plan.samplesPerRun ?? null,
    sections: plan.sections.map(({ method, rows, closest, problem }) => ({
      method: method ?? null,
      rows: rows.slice(0, top || rows.length).map(row => ({ ...row, ...linesOf(subject, row) })),
      closest: closest ?? null,
      problem: problem ?? null,
    })),
    assumptions: [...subject.assumptions, ...plan.assumptions],
  }
}

interface PageTerms {
  readonly top: number
  readonly chosen: ChosenRow | undefined
  readonly cards: readonly Gpu[]
}

function printPage(subject: Subject, plan: Plan, { top, chosen, cards }: PageTerms): void {
  print(renderPlan({ plan, name: subject.path, top, columns: lineLength() }))
  const sentences = [...subject.assumptions, ...cards.flatMap(sentencesOn)]
  if (sentences.length > 0) print(`\n${sentenceLines(sentences)}`)
  if (chosen !== undefined) print(`\n${renderSnippet(chosen.number, snippetOf(subject, chosen.row), lineLength())}`)
}
