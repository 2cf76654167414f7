/** Marks on a chart: points, the GPU's limit, the current and the recommended size. */
import uPlot from 'uplot'
import type { ChartMark } from '../chart-mark.ts'
import type { ChartData, Point } from './chart-data.ts'

/** Names of CSS variables. */
type Color = '--calm' | '--good' | '--bad' | '--text' | '--dim' | '--line' | '--card'

/** The colour in the reader's current scheme; a canvas does not follow CSS. */
export function color(name: Color): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name)
}

const FONT = 12
const POINT = 4

export function drawMarks(plot: uPlot, { points, limit, marks }: ChartData): void {
  const { ctx } = plot
  ctx.save()
  ctx.font = `${FONT * uPlot.pxRatio}px system-ui, sans-serif`
  ctx.lineWidth = 2 * uPlot.pxRatio
  const taken: Span[] = []
  for (const mark of marks) taken.push(drawMark(plot, mark, taken))
  if (limit !== undefined) drawLimit(plot, limit)
  for (const point of points) drawPoint(plot, point)
  ctx.restore()
}

function drawLimit(plot: uPlot, { value, name }: { readonly value: number; readonly name: string }): void {
  const { ctx, bbox } = plot
  const y = plot.valToPos(value, 'y', true)
  dashed(ctx, color('--bad'), [bbox.left, y], [bbox.left + bbox.width, y])
  const [right, bottom] = [bbox.left + bbox.width, y - 4 * uPlot.pxRatio]
  const width = ctx.measureText(name).width
  ctx.fillStyle = color('--card')
  ctx.fillRect(right - width, bottom - FONT * uPlot.pxRatio, width, FONT * uPlot.pxRatio)
  ctx.fillStyle = color('--text')
  ctx.textAlign = 'right'
  ctx.textBaseline = 'bottom'
  ctx.fillText(name, right, bottom)
}

interface Span {
  readonly left: number
  readonly right: number
}

/** Labels are above the plot; one that would overlap another is below it, inside the plot. */
function drawMark(plot: uPlot, { x, name, kind }: ChartMark, taken: readonly Span[]): Span {
  const { ctx, bbox } = plot
  const at = plot.valToPos(x, 'x', true)
  dashed(ctx, kind === 'recommended' ? color('--good') : color('--dim'), [at, bbox.top], [at, bbox.top + bbox.height])
  const width = ctx.measureText(name).width
  const left = Math.max(bbox.left, Math.min(at - width / 2, bbox.left + bbox.width - width))
  const span = { left, right: left + width }
  const isCovered = taken.some(other => other.left < span.right && span.left < other.right)
  ctx.fillStyle = kind === 'recommended' ? color('--good') : color('--text')
  ctx.textAlign = 'left'
  ctx.textBaseline = 'bottom'
  ctx.fillText(name, left, bbox.top + (isCovered ? 14 : -5) * uPlot.pxRatio)
  return span
}

function drawPoint(plot: uPlot, { x, y, isBad, isMeasured }: Point): void {
  const { ctx } = plot
  const [left, top] = [plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true)]
  const size = POINT * uPlot.pxRatio
  ctx.beginPath()
  if (isBad) {
    ctx.strokeStyle = color('--bad')
    ctx.moveTo(left - size, top - size)
    ctx.lineTo(left + size, top + size)
    ctx.moveTo(left + size, top - size)
    ctx.lineTo(left - size, top + size)
    ctx.stroke()
  } else {
    ctx.fillStyle = isMeasured ? color('--good') : color('--card')
    ctx.strokeStyle = color('--good')
    ctx.arc(left, top, size, 0, 2 * Math.PI)
    ctx.fill()
    ctx.stroke()
  }
}

type Spot = readonly [x: number, y: number]

function dashed(ctx: CanvasRenderingContext2D, stroke: string, from: Spot, to: Spot): void {
  ctx.save()
  ctx.strokeStyle = stroke
  ctx.setLineDash([6 * uPlot.pxRatio, 4 * uPlot.pxRatio])
  ctx.beginPath()
  ctx.moveTo(...from)
  ctx.lineTo(...to)
  ctx.stroke()
  ctx.restore()
}
