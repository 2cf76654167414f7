/**
 * A plan in the terminal: a table for each training method, how its figures are known, and the config lines of one row.
 */
import { formatGib, formatPercent } from '../base/units.ts'
import { methodNames } from '../plan/methods.ts'
import type { Plan, PlanSection } from '../plan/plan.ts'
import type { PlanRow } from '../plan/row.ts'
import { isUnwritten, type Written } from '../plan/snippets/snippet.ts'
import { type Strategy, strategies, strategyNames } from '../plan/strategy.ts'
import type { LeverId } from '../report/advised-levers.ts'
import {
  formatBand,
  formatBatch,
  formatCount,
  formatRateRange,
  formatUsdRange,
  ofUsable,
  priceRemark,
} from './figures.ts'
import { getsAndPays } from './lever-words.ts'
import { plainText } from './plain.ts'
import { wrap } from './terminal-page.ts'
import { tableWithin } from './text-table.ts'

const INDENT = '  '

export interface PlanPage {
  readonly plan: Plan
  /** The model or the config. */
  readonly name: string
  /** Rows of each section to show. */
  readonly top: number
  /** Width of a line; a table that is wider becomes a block for each row. */
  readonly columns: number
}

/** The rows of all sections in order, so that one number names one row. */
export function numberedRows({ sections }: Pick<Plan, 'sections'>): readonly PlanRow[] {
  return sections.flatMap(({ rows }) => rows)
}

/** Ends without a newline. */
export function renderPlan({ plan, name, top, columns }: PlanPage): string {
  const hasRuns = plan.samplesPerRun !== undefined
  let before = 0
  const blocks = plan.sections.map(section => {
    const first = before + 1
    before += section.rows.length
    return sectionBlock(section, { name, top, columns, first, hasRuns })
  })
  return [...blocks, notes(plan, columns)].join('\n\n')
}

interface SectionTerms extends Pick<PlanPage, 'name' | 'top' | 'columns'> {
  /** The number of its first row. */
  readonly first: number
  readonly hasRuns: boolean
}

function sectionBlock(section: PlanSection, { name, top, columns, first, hasRuns }: SectionTerms): string {
  const { method, rows } = section
  const heading = [plainText(name, 200), method && methodNames[method]].filter(Boolean).join(': ')
  if (rows.length === 0) return `${heading}\n${wrap(nothingFits(section), INDENT, columns)}`
  const shown = rows.slice(0, top)
  const header = ['', 'GPUs', 'shared by', 'batch', 'memory of each', 'samples/s', '$ per 1M samples']
  const cells = [
    hasRuns ? [...header, 'hours a run', '$ a run'] : header,
    ...shown.map((row, index) => cellsOf(row, first + index)),
  ]
  const more = rows.length - shown.length
  const rest = more > 0 ? [`${INDENT}and ${formatCount(more)} dearer: --top ${rows.length} shows all`] : []
  return [heading, ...tableWithin(columns - INDENT.length, cells).map(line => INDENT + line), ...rest].join('\n')
}

function cellsOf(row: PlanRow, number: number): readonly string[] {
  const { gpu, gpus, strategy, gradientCheckpointing, peakBytes, samplesPerSecondRange, run } = row
  const shared = `${strategyNames[strategy]}${gradientCheckpointing ? ', checkpointing' : ''}`
  const runs = run === undefined ? [] : [formatRateRange(run.hoursRange), formatUsdRange(run.costRangeUsd)]
  return [
    `${number}`,
    `${gpus} × ${plainText(gpu.name, 60)}`,
    shared,
    formatBatch(row),
    `${ofUsable(peakBytes, gpu.usableBytes)} (${formatPercent(peakBytes / gpu.usableBytes)}), ${formatBand(row.errorBand)}`,
    formatRateRange(samplesPerSecondRange),
    `${formatUsdRange(row.usdPerMillionSamplesRange)}${gpu.priceCaveat === undefined ? '' : ' *'}`,
    ...runs,
  ]
}

function nothingFits({ closest, problem }: PlanSection): string {
  if (problem !== undefined) return `Not planned: ${plainText(problem.message)}. ${plainText(problem.fix)}`
  if (closest === undefined) return 'Nothing fits: none of the cards computes in this precision.'
  const { gpu, gpus, strategy, neededBytes, missingBytes } = closest
  const what = `${gpus} × ${plainText(gpu.name, 60)} with ${strategyNames[strategy]}, one sample at a time`
  return `Nothing fits. Closest: ${what}, takes ${formatGib(neededBytes)} of each GPU, ${formatGib(missingBytes)} more than it has to spare.`
}

/** Levers whose words say what a way of sharing brings and costs. */
const levers: Readonly<Partial<Record<Strategy, LeverId>>> = {
  zero1: 'zero-1',
  zero2: 'zero-2',
  fsdp: 'fsdp',
  zero3: 'zero-3',
}

/** One sentence for each way of sharing in the table, for who does not know it by its name. */
function waysOf(rows: readonly PlanRow[]): readonly string[] {
  const used = strategies.filter(strategy => rows.some(row => row.strategy === strategy))
  const isCheckpointed = rows.some(({ gradientCheckpointing }) => gradientCheckpointing)
  return [
    ...used.flatMap(strategy => {
      const lever = levers[strategy]
      if (lever !== undefined) return [`${strategyNames[strategy]}: ${getsAndPays(lever)}`]
      return strategy === 'ddp' ? ['DDP: every GPU holds all. You pay: gradients are exchanged in every step.'] : []
    }),
    ...(isCheckpointed ? [`Checkpointing: ${getsAndPays('gradient-checkpointing')}`] : []),
  ]
}

function notes(plan: Plan, columns: number): string {
  const rows = numberedRows(plan)
  const caveats = new Map(
    rows.flatMap(({ gpu }) => (gpu.priceCaveat === undefined ? [] : [[gpu.name, priceRemark(gpu).slice(2)] as const])),
  )
  const lines = [
    ...waysOf(rows),
    `Every row keeps ${formatCount(plan.effectiveBatch)} samples per optimizer step; batch: samples at a time on each GPU × how many such add up to a step. Memory is estimated, speed is modelled and lies within its range nine times in ten; cheapest first, by what is modelled.`,
    ...plan.assumptions,
    ...(rows.some(({ gpus }) => gpus > 8)
      ? ['More than 8 GPUs are taken to stand in servers of 8, joined by 200 Gb/s for each GPU.']
      : []),
    ...(caveats.size > 0
      ? [`* Prices to check: ${[...caveats].map(([name, why]) => `${plainText(name, 60)} (${why})`).join(', ')}.`]
      : []),
    ...(plan.unplanned.length > 0
      ? [`Left out, for want of a price or a speed: ${plan.unplanned.map(id => plainText(id, 60)).join(', ')}.`]
      : []),
  ]
  return lines.map(line => wrap(line, '', columns)).join('\n')
}

/** The config lines of one row and the command that starts it, or why its tool has none. */
export function renderSnippet(number: number, written: Written, columns: number): string {
  if (isUnwritten(written)) return wrap(`Row ${number}: ${written.why}`, '', columns)
  const { files, command, notes = [] } = written
  const intro = `Row ${number} as lines of config, in place of what it says of batch, checkpointing, DeepSpeed and FSDP now:`
  const blocks = files.map(({ path, text }) => [`# ${plainText(path, 200)}`, text].join('\n'))
  const remarks = notes.length === 0 ? [] : [wrap(notes.join(' '), '', columns)]
  return [wrap(intro, '', columns), ...blocks, ...remarks, `$ ${command}`].join('\n\n')
}
