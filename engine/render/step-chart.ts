/** Memory over a step as a chart of letters, one for each kind of bytes: for any terminal, with or without colours. */
import type { MemoryPoint } from '../estimate/step/memory-over-step.ts'
import type { ByteKind } from '../estimate/tape/storage.ts'
import { partNames } from './config-details.ts'
import { formatPart } from './figures.ts'
import { CHART_COLUMNS, highestOf, highestOfEach, stackedRows } from './stacked-chart.ts'

/** From the bottom up: lasting memory (weights, optimizer state) below what is allocated and freed within the step. */
export const stackedKinds = [
  'weights',
  'optimizerState',
  'workspace',
  'inputs',
  'gradients',
  'activations',
  'logits',
  'temporaries',
] as const satisfies readonly ByteKind[]

/** The scale left of the chart, and what the name of the last phase may take to the right of it. */
const MARGIN = 20

const letters: Readonly<Record<ByteKind, string>> = {
  weights: 'W',
  optimizerState: 'O',
  workspace: 'C',
  inputs: 'I',
  gradients: 'G',
  activations: 'a',
  logits: 'l',
  temporaries: 't',
}

/**
 * The chart, the phases under it, and what the letters stand for at the peak, no wider than `width`. Ends without a newline.
 */
export function stepChart(points: readonly MemoryPoint[], width: number): string {
  const columns = highestOfEach(points, Math.max(1, Math.min(CHART_COLUMNS, width - MARGIN)))
  const { rows, below } = stackedRows(columns, stackedKinds, letters)
  return [...rows, `${below} ${phaseLine(columns)}`.trimEnd(), '', ...legend(highestOf(points))].join('\n')
}

/** Explains why forward and backward appear twice (gradient accumulation); empty if they appear once. */
export function repetitionRemark(points: readonly MemoryPoint[]): string {
  const forwards = points.filter(({ phase }, index) => phase === 'forward' && points[index - 1]?.phase !== 'forward')
  if (forwards.length < 2) return ''
  return 'The second forward and backward stand for all that run beside gradients of earlier ones.'
}

/** The name of each phase where it begins, as far as it fits before the next. */
function phaseLine(columns: readonly MemoryPoint[]): string {
  const starts = columns.flatMap(({ phase }, column) =>
    phase === columns[column - 1]?.phase ? [] : [{ phase, column }],
  )
  return starts
    .map(({ phase, column }, index) => {
      const room = (starts[index + 1]?.column ?? columns.length + 10) - column
      return (phase.length + 1 <= room ? `|${phase}` : '|').padEnd(room)
    })
    .join('')
}

function legend({ breakdown }: MemoryPoint): readonly string[] {
  const present = stackedKinds.filter(kind => breakdown[kind] > 0).toReversed()
  const rows = present.map(kind => `  ${letters[kind]}  ${partNames[kind].padEnd(17)}  ${formatPart(breakdown[kind])}`)
  return ['At the peak:', ...rows]
}
