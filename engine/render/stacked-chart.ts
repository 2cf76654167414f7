/** Memory over events as a chart of letters, one for each part: for any terminal, with or without colours. */
import { formatGib } from '../base/units.ts'

export const CHART_COLUMNS = 60
const ROWS = 14

interface Stacked<Part extends string> {
  readonly bytes: number
  readonly breakdown: Readonly<Record<Part, number>>
}

/** `parts`: from the bottom up. `below`: the blanks under the scale, with which a line under the chart begins. */
export function stackedRows<Part extends string>(
  columns: readonly Stacked<Part>[],
  parts: readonly Part[],
  letters: Readonly<Record<Part, string>>,
): { readonly rows: readonly string[]; readonly below: string } {
  const peakBytes = highestOf(columns).bytes
  const scale = `${formatGib(peakBytes)} `
  const letterAt = ({ breakdown }: Stacked<Part>, level: number) => {
    let top = 0
    for (const part of parts) {
      top += breakdown[part]
      if (top >= level) return letters[part]
    }
    return ' '
  }
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const level = ((ROWS - row - 0.5) / ROWS) * peakBytes
    const label = row === 0 ? scale : row === ROWS - 1 ? '0 ' : ''
    return `${label.padStart(scale.length)}│${columns.map(column => letterAt(column, level)).join('')}`.trimEnd()
  })
  const below = ' '.repeat(scale.length)
  return { rows: [...rows, `${below}└${'─'.repeat(columns.length)}`], below }
}

export function highestOf<Point extends { readonly bytes: number }>(points: readonly Point[]): Point {
  return points.reduce((highest, point) => (point.bytes > highest.bytes ? point : highest))
}

/** The points in so many columns at most, of each the highest. */
export function highestOfEach<Point extends { readonly bytes: number }>(
  points: readonly Point[],
  columns: number,
): readonly Point[] {
  const count = Math.min(columns, points.length)
  const upTo = (column: number) => Math.round((column * points.length) / count)
  return Array.from({ length: count }, (_, column) => highestOf(points.slice(upTo(column), upTo(column + 1))))
}
