/** What a chart shows, read back from the page. */
import type { ChartMark } from '../chart-mark.ts'

export interface Point {
  readonly x: number
  readonly y: number
  /** Both coordinates as the table writes them. */
  readonly text: string
  readonly isBad: boolean
  readonly isMeasured: boolean
}

export interface ChartData {
  readonly points: readonly Point[]
  readonly marks: readonly ChartMark[]
  readonly limit: { readonly value: number; readonly name: string } | undefined
  readonly xName: string
  readonly unit: string
  readonly isTime: boolean
}

/** `place` and `table` are as `chart.ts` of the server writes them. */
export function readChart({ dataset }: HTMLElement, table: HTMLTableElement): ChartData {
  const { limit, limitName = '', marks = '[]', unit = '', xKind } = dataset
  return {
    points: Array.from(table.querySelectorAll<HTMLTableRowElement>('[data-x]'), pointOf),
    marks: JSON.parse(marks),
    limit: limit === undefined ? undefined : { value: Number(limit), name: limitName },
    xName: table.querySelector('th')?.textContent ?? '',
    unit,
    isTime: xKind === 'time',
  }
}

function pointOf({ dataset, cells }: HTMLTableRowElement): Point {
  const text = Array.from(cells, cell => cell.textContent).join(': ')
  const [isBad, isMeasured] = [dataset.bad !== undefined, dataset.measured !== undefined]
  return { x: Number(dataset.x), y: Number(dataset.y), text, isBad, isMeasured }
}
