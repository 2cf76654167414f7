/** Configs in a line each, for when there are many. */
import { configName } from '../config/training-place.ts'
import { sayPosition } from '../errors.ts'
import type { AnalysedConfig, ConfigResult } from '../report/schema.ts'
import { gainFigures, isWorthFollowing } from './advice.ts'
import { formatBatch, ofUsable } from './figures.ts'
import { plainPath, plainText } from './plain.ts'
import { type Page, stateWord, styleOf } from './terminal-page.ts'

const GAP = '  '

/** Of a path that is cut; the whole one stands in the details. */
const LEAST_PATH = 20

const HEADER = ['', 'config', 'memory', 'batch', 'speed', 'to save']

/** No line is wider than the page: the last columns are left out where there is no room, then paths are cut. */
export function terminalTable(configs: readonly ConfigResult[], page: Page): string[] {
  const rows = [HEADER, ...configs.map(config => cellsOf(config, page))]
  const widths = HEADER.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const shown = [...widths]
  while (shown.length > 2 && widthOf(shown) > page.columns) shown.pop()
  const [state = 0, path = 0, ...others] = shown
  const room = Math.max(LEAST_PATH, page.columns - widthOf([state, 0, ...others]))
  const columns = [state, Math.min(path, room), ...others]
  return [
    page.paint('dim', line(HEADER, columns)),
    ...configs.map(config => {
      const [word = '', name = '', ...cells] = cellsOf(config, page)
      const rest =
        config.status === 'analysed'
          ? cells
          : [problemOf(config, page.columns - widthOf(columns.slice(0, 2)) - GAP.length)]
      const painted = page.paint(styleOf(config, page), word.padEnd(state))
      return [painted, line([plainPath(name, columns[1]), ...rest], columns.slice(1))].join(GAP).trimEnd()
    }),
  ]
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

function cellsOf(config: ConfigResult, page: Page): string[] {
  const name = plainText(configName(config))
  const word = stateWord(config, page)
  return config.status === 'analysed' ? [word, name, ...figuresOf(config)] : [word, name]
}

function figuresOf(config: AnalysedConfig): string[] {
  const { current, recommended, gpu } = config
  const batch =
    recommended !== undefined && isWorthFollowing(config)
      ? `${formatBatch(current)} → ${formatBatch(recommended)}`
      : formatBatch(current)
  const { speed = '', money = '' } = gainFigures(config)
  return [ofUsable(current.peakBytes, gpu.usableBytes), batch, speed, money]
}

/** What is wrong with a config, in the room that is left. */
function problemOf({ problems: [problem] }: Extract<ConfigResult, { status: 'not-analysed' }>, room: number): string {
  if (problem === undefined || room < LEAST_PATH) return ''
  const { line, column = 1, cell, message } = problem
  const place = line === undefined ? '' : `${sayPosition({ line, column, cell })}: `
  return plainText(`${place}${message}`, room)
}
