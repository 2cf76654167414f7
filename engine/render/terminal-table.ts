/** Configs in a line each, for when there are many. */
import { sayPosition } from '../base/position.ts'
import { formatPercent } from '../base/units.ts'
import { configName } from '../config/training-place.ts'
import type { AnalysedConfig, ConfigResult } from '../report/schema.ts'
import { gainFigures, isWorthFollowing } from './advice.ts'
import { formatBatch, ofUsable } from './figures.ts'
import { plainPath, plainText } from './plain.ts'
import { type Page, stateWord, styleOf } from './terminal-page.ts'

const GAP = '  '

/** Characters that a path is cut to at most; the whole one stands in the details. */
const LEAST_PATH = 16

type Column = 'memory' | 'filled' | 'batch' | 'speed' | 'money'

const headers: Readonly<Record<Column, string>> = {
  memory: 'memory',
  filled: 'memory',
  batch: 'batch',
  speed: 'speed',
  money: 'to save',
}

/**
 * The columns after verdict and path, from the widest page to the narrowest; the most important column is dropped last.
 */
const layouts: readonly (readonly Column[])[] = [
  ['memory', 'batch', 'speed', 'money'],
  ['memory', 'batch', 'speed'],
  ['memory', 'batch'],
  ['filled', 'batch'],
  ['filled'],
  [],
]

/** No line is wider than the page: paths are cut first, then figures are left out. */
export function terminalTable(configs: readonly ConfigResult[], page: Page): string[] {
  const rows = configs.map(config => rowOf(config, page))
  const state = widest(rows.map(row => row.word))
  const path = widest(['config', ...rows.map(row => row.name)])
  const widthsIn = (layout: readonly Column[]) =>
    layout.map(column => widest([headers[column], ...rows.map(({ figures }) => figures?.[column] ?? '')]))
  const roomIn = (layout: readonly Column[]) => page.tableColumns - widthOf([state, 0, ...widthsIn(layout)])
  const layout = layouts.find(some => roomIn(some) >= Math.min(path, LEAST_PATH)) ?? []
  const widths = [Math.min(path, Math.max(LEAST_PATH, roomIn(layout))), ...widthsIn(layout)]
  const [pathWidth = 0] = widths
  return [
    page.paint('dim', line(['', 'config', ...layout.map(column => headers[column])], [state, ...widths])),
    ...rows.map(({ config, word, name, figures }) => {
      const cells =
        config.status === 'analysed'
          ? layout.map(column => figures?.[column] ?? '')
          : [problemOf(config, page.tableColumns - widthOf([state, pathWidth]) - GAP.length)]
      const painted = page.paint(styleOf(config, page), word.padEnd(state))
      return [painted, line([plainPath(name, pathWidth), ...cells], widths)].join(GAP).trimEnd()
    }),
  ]
}

interface Row {
  readonly config: ConfigResult
  readonly word: string
  readonly name: string
  /** Absent for a config that was not analysed. */
  readonly figures?: Readonly<Record<Column, string>>
}

function rowOf(config: ConfigResult, page: Page): Row {
  const row = { config, word: stateWord(config, page), name: plainText(configName(config)) }
  return config.status === 'analysed' ? { ...row, figures: figuresOf(config) } : row
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length))
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)
}

function line(cells: readonly string[], widths: readonly number[]): string {
  return widths
    .map((width, column) => (cells[column] ?? '').padEnd(width))
    .join(GAP)
    .trimEnd()
}

function figuresOf(config: AnalysedConfig): Record<Column, string> {
  const { current, recommended, gpu } = config
  const batch =
    recommended !== undefined && isWorthFollowing(config)
      ? `${formatBatch(current)} → ${formatBatch(recommended)}`
      : formatBatch(current)
  const { speed = '', money = '' } = gainFigures(config)
  const { peakBytes } = current
  const filled = formatPercent(peakBytes / gpu.usableBytes)
  return { memory: ofUsable(peakBytes, gpu.usableBytes), filled, batch, speed, money }
}

/** What is wrong with a config, in the room that is left. */
function problemOf(config: Extract<ConfigResult, { status: 'not-analysed' }>, room: number): string {
  const [problem] = config.problems
  if (problem === undefined || room < LEAST_PATH) return ''
  const { file = config.path, line, column = 1, cell, message } = problem
  const isSaid = line === undefined || (file !== config.path && message.includes(file))
  const elsewhere = file === config.path ? '' : `${file}, `
  const place = isSaid ? '' : `${elsewhere}${sayPosition({ line, column, cell })}: `
  return plainText(`${place}${message}`, room)
}
