/** A chart that the page's script draws from the table inside it. Without the script, the table is shown. */
import { html } from 'hono/html'
import type { ChartMark } from './chart-mark.ts'
import type { Html } from './page.ts'

export interface ChartRow {
  readonly x: number
  readonly xText: string
  readonly y: number
  readonly yText: string
  /** Empty if no point of the chart has one. */
  readonly remark: string
  /** Drawn as a cross. */
  readonly isBad: boolean
  /** A point that was not measured is drawn as an open circle. */
  readonly isMeasured: boolean
}

export interface ChartOptions {
  /** Unique in the page. */
  readonly id: string
  readonly title: Html
  readonly note: string
  readonly xName: string
  readonly yName: string
  readonly yUnit: string
  /** A limit line, such as usable memory. */
  readonly limit?: { readonly value: number; readonly name: string }
  readonly marks?: readonly ChartMark[]
  /** `time`: x is seconds since 1970. */
  readonly xKind?: 'count' | 'time'
  /** Ascending in x. */
  readonly rows: readonly ChartRow[]
}

export function chart(options: ChartOptions): Html {
  const { id, title, rows } = options
  return html`<section class="card" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${rows.length < 2 ? html`<p class="sub">There are too few points for a curve.</p>` : figure(options)}
${rows.length === 0 ? '' : figures(options)}
</section>`
}

function figures(options: ChartOptions): Html {
  const { note, rows, yName, xName } = options
  const open = rows.every(({ isMeasured }) => isMeasured) ? '' : ' Open points are not measured.'
  const crosses = rows.some(({ isBad }) => isBad) ? ' A cross does not fit.' : ''
  return html`<p class="sub">${note}${open}${crosses}</p>
<details><summary>The figures as a table</summary>
<div class="scroll" role="region" aria-label="${yName} by ${xName}, as a table" tabindex="0">${table(options)}</div></details>`
}

/** A description for screen readers. */
function summary({ yName, rows, limit, marks = [] }: ChartOptions): string {
  const [first, last] = [rows[0], rows.at(-1)]
  const course = first && last ? `from ${first.yText} at ${first.xText} to ${last.yText} at ${last.xText}` : 'no data'
  const places = [...marks.map(({ name, x }) => `${name}: ${x}`), ...(limit ? [`limit: ${limit.name}`] : [])]
  return [`${yName}: ${course}`, ...places].join('; ')
}

/** The place, outside the table, for the script's canvas. */
function figure(options: ChartOptions): Html {
  const { id, limit, marks = [], xKind = 'count', yUnit } = options
  return html`<div class="chart" role="img" aria-label="${summary(options)}" data-chart="${id}-table" data-x-kind="${xKind}" data-unit="${yUnit}"${
    limit ? html` data-limit="${limit.value}" data-limit-name="${limit.name}"` : ''
  } data-marks="${JSON.stringify(marks)}"></div>`
}

function table({ id, xName, yName, rows }: ChartOptions): Html {
  const hasRemarks = rows.some(({ remark }) => remark !== '')
  return html`<table id="${id}-table">
<thead><tr><th scope="col">${xName}</th><th scope="col">${yName}</th>${hasRemarks ? html`<th scope="col">Result</th>` : ''}</tr></thead>
<tbody>${rows.map(
    ({ x, xText, y, yText, remark, isBad, isMeasured }) =>
      html`<tr data-x="${x}" data-y="${y}"${isBad ? html` data-bad` : ''}${isMeasured ? html` data-measured` : ''}><th scope="row">${xText}</th><td>${yText}</td>${hasRemarks ? html`<td>${remark}</td>` : ''}</tr>`,
  )}</tbody>
</table>`
}
