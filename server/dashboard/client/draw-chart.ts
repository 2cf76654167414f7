/** One chart, drawn with uPlot. */
import uPlot from 'uplot'
import type { ChartData, Point } from './chart-data.ts'
import { color, drawMarks } from './chart-marks.ts'

const HEIGHT = 290
/** Pixels: at least the width of a digit in that font. */
const CHARACTER_WIDTH = 7.5
const FONT = '12px system-ui, sans-serif'

/** Draws the chart into its place, and again when the place's width or the reader's colour scheme changes. */
export function drawChart(place: HTMLElement, data: ChartData): void {
  const { points } = data
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const plot = new uPlot(optionsOf(data, place.clientWidth, readout(place)), [xs, ys], place)
  const resized = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }))
  resized.observe(place)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const redraw = () => {
    if (place.isConnected) return plot.redraw(false)
    // Its result was replaced by another.
    scheme.removeEventListener('change', redraw)
    resized.disconnect()
    plot.destroy()
  }
  scheme.addEventListener('change', redraw)
}

/** The point under the pointer as text; the table has the same for everybody else. */
function readout(place: HTMLElement): (point?: Point) => void {
  const line = document.createElement('p')
  line.className = 'readout'
  place.append(line)
  return point => {
    line.textContent = point?.text ?? ''
  }
}

function optionsOf(data: ChartData, width: number, tell: (point?: Point) => void): uPlot.Options {
  const { points, limit, unit, isTime, xName } = data
  const top = Math.max(...points.map(({ y }) => y), limit?.value ?? 0) * 1.12
  const axis: uPlot.Axis = {
    stroke: () => color('--dim'),
    font: FONT,
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { stroke: () => color('--line'), width: 1 },
  }
  return {
    width,
    height: HEIGHT,
    padding: [22, 12, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 10 } },
    scales: {
      x: { time: isTime, ...(isTime ? {} : { range: [0, (points.at(-1)?.x ?? 1) * 1.06] }) },
      y: { range: [0, top || 1] },
    },
    axes: [
      { ...axis, ...(isTime ? {} : { label: xName, size: 34, labelSize: 18, labelFont: FONT, labelGap: 0 }) },
      {
        ...axis,
        size: (_, texts) => 20 + CHARACTER_WIDTH * Math.max(0, ...(texts ?? []).map(text => text.length)),
        values: (_, splits) => splits.map(split => `${split} ${unit}`),
      },
    ],
    series: [{}, { stroke: () => color('--calm'), width: 2, points: { show: false } }],
    hooks: { draw: [plot => drawMarks(plot, data)], setCursor: [({ cursor }) => tell(points[cursor.idx ?? -1])] },
  }
}
