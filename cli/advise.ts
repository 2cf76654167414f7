/** `memorymark advise`: every way to free memory for a config, best first, with the lines that make each. */
import { MemoryMarkError } from '../engine/base/errors.ts'
import { configName } from '../engine/config/training-place.ts'
import { ofUsable } from '../engine/render/figures.ts'
import { leverDiff, leverHeadings, leverRow, leverSentences } from '../engine/render/levers.ts'
import { peakHeadings, peakRows } from '../engine/render/run-peaks.ts'
import { wrap } from '../engine/render/terminal-page.ts'
import { tableWithin } from '../engine/render/text-table.ts'
import { type AdvisedLever, MAX_TOGETHER } from '../engine/report/advised-levers.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'
import { notATrainingConfig } from '../engine/subject.ts'
import { parseFlags } from './arguments.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { findFiles } from './files.ts'
import { judgingOf } from './judging.ts'
import { lineLength, onOneLine, print, printJson, sentenceLines } from './print.ts'
import { settingsOptions, settingsOrThrow } from './settings.ts'
import { sources } from './sources.ts'

/** Milliseconds. Combinations take longer than a check, and the user waits for them. */
const FILE_MILLIS = 60_000

/** Levers printed with their lines by default. */
const IN_FULL = 3
/** Rows of the table by default. */
const ROWS = 12

export async function advise(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    gpu: { type: 'string' },
    'price-per-hour': { type: 'string' },
    all: { type: 'boolean' },
    json: { type: 'boolean' },
    ...settingsOptions,
  })
  const { named } = await findFiles(positionals)
  const [file] = named
  if (file === undefined || positionals.length !== 1) {
    throw new MemoryMarkError({
      code: 'usage',
      message: 'advise takes one config file',
      fix: 'Run `memorymark advise configs/train.yaml --gpu a10`.',
    })
  }
  const limits = { fileMillis: FILE_MILLIS, totalMillis: Number.POSITIVE_INFINITY }
  await using engine = openEngine({ limits })
  const settings = await settingsOrThrow(values, engine)
  const options = { ...judgingOf(values, settings), sources: sources() }
  const report = await engine.withLevers(await engine.analyze([file], options), [file], { ...options, ofAll: true })
  if (report.configs.length === 0) throw new MemoryMarkError(notATrainingConfig(file.path))
  for (const config of report.configs) {
    if (config.status === 'not-analysed') throw new MemoryMarkError(config.problems[0] ?? notATrainingConfig(file.path))
  }
  const configs = report.configs.filter(config => config.status === 'analysed')
  if (values.json) printJson({ configs: configs.map(summary) })
  else print(configs.map(config => page(config, values.all === true)).join('\n\n'))
  return 0
}

/** For scripts. Bytes are bytes. */
function summary(config: AnalysedConfig) {
  const { spec, dialect, gpu, current, errorBand, levers = [], assumptions } = config
  const name = configName(config)
  return { path: name, dialect, model: spec.model, gpu, current, errorBand, levers, assumptions }
}

function page(config: AnalysedConfig, isAll: boolean): string {
  const { gpu, current, levers = [], dialect } = config
  const sizes = `micro-batch ${current.microBatch} × ${current.gradientAccumulation}`
  const fits = current.fits ? 'fits' : 'does not fit'
  const heading = sentenceLines([
    `${onOneLine(configName(config))} (${dialect}) needs ${ofUsable(current.peakBytes, gpu.usableBytes)} of the ${gpu.name} at ${sizes}, and ${fits}.`,
  ])
  if (levers.length === 0) return [heading, ...peaksOf(config), sentenceLines([withoutLines(config)])].join('\n\n')
  const fitting = levers.filter(({ fit }) => fit !== 'does-not-fit')
  const shown = isAll ? levers : (fitting.length >= IN_FULL ? fitting : levers).slice(0, ROWS)
  // Number and change in one cell, which heads the row's block where the table is too wide.
  const rows = [leverHeadings, ...shown.map((lever, index) => leverRow(lever, index, config))].map(
    ([number = '', change = '', ...cells]) => [`${number.padEnd(2)} ${change}`, ...cells],
  )
  const more = levers.length > shown.length ? [`…and ${levers.length - shown.length} more: add --all.`] : []
  const notEnough = shown.some(({ fit }) => fit !== 'does-not-fit')
    ? []
    : [`None of these makes it fit, nor was a combination of up to ${MAX_TOGETHER} found that does. ${plans(config)}`]
  const onlyCards = levers.every(({ gpu: other }) => other !== undefined) ? [withoutLines(config)] : []
  const details = shown.slice(0, isAll ? shown.length : IN_FULL).map((lever, index) => inFull(lever, index))
  const table = tableWithin(lineLength(), rows).join('\n')
  const below = [...more, ...notEnough, ...onlyCards].map(sentence => sentenceLines([sentence]))
  return [heading, ...peaksOf(config), table, ...below, ...details, sentenceLines([NOTE])].join('\n\n')
}

/** A script's own loop, for one, has no accumulation that would let its batch shrink. */
function withoutLines(config: AnalysedConfig): string {
  const { current, largest } = config
  if (current.fits) return 'No line that can be changed here frees a tenth of that.'
  const nothing = 'no line that can be changed here, with the samples of a step as they are, frees a tenth of that'
  return largest === undefined
    ? `Not even one sample fits, and ${nothing}. ${plans(config)}`
    : `The largest micro-batch that fits is ${largest.microBatch}; ${nothing}. ${plans(config)}`
}

function plans(config: AnalysedConfig): string {
  return `memorymark plan ${onOneLine(configName(config))} finds the GPUs, and how many, on which it fits.`
}

/** Where else the run could run out of memory. */
function peaksOf(config: AnalysedConfig): string[] {
  const rows = peakRows(config)
  return rows.length === 0 ? [] : [tableWithin(lineLength(), [[...peakHeadings], ...rows]).join('\n')]
}

const NOTE =
  'All of this is estimated, each row by itself; in parentheses where the memory may lie. Speed: modelled, of as much data, against the config as it is if it had the memory.'

function inFull(lever: AdvisedLever, index: number): string {
  const diff = leverDiff(lever).map(line => `     ${onOneLine(line)}`)
  const text = leverSentences(lever)
    .map(sentence => wrap(sentence, '   ', lineLength()))
    .join('\n')
  return [`${`${index + 1}.`.padEnd(3)}${text.slice(3)}`, ...diff].join('\n')
}
