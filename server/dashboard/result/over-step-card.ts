/** Memory over the step: stacked areas by kind of bytes, and a table of each phase's highest moment. */
import { html } from 'hono/html'
import { formatGib } from '../../../engine/base/units.ts'
import { partNames } from '../../../engine/render/config-details.ts'
import { formatCount, formatPart } from '../../../engine/render/figures.ts'
import { plainText } from '../../../engine/render/plain.ts'
import { highestOf } from '../../../engine/render/stacked-chart.ts'
import { repetitionRemark, stackedKinds } from '../../../engine/render/step-chart.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import type { Html } from '../page.ts'
import { memoryChip } from '../provenance.ts'

type Points = NonNullable<AnalysedConfig['overStep']>
type Kind = (typeof stackedKinds)[number]

/** Each contrasts with the cards of both colour schemes by at least 3 to 1. */
const colours: Readonly<Record<Kind, string>> = {
  weights: '#5d8199',
  optimizerState: '#8f6fc8',
  workspace: '#808080',
  inputs: '#a8743a',
  gradients: '#d0559b',
  activations: '#149470',
  logits: '#cc7a00',
  temporaries: '#3f86e0',
}

/** Empty if it was not asked for. */
export function overStepCard(config: AnalysedConfig): Html | '' {
  const { overStep: points, current, gpu } = config
  if (points === undefined) return ''
  const phases = phasesOf(points)
  const peak = highestOf(points)
  // A limit far above the peak would flatten the chart.
  const showsLimit = gpu.usableBytes < 1.3 * peak.bytes
  const top = Math.max(peak.bytes, showsLimit ? gpu.usableBytes : 0, 1)
  const limit = showsLimit ? ` The dashed line is what is usable, ${formatGib(gpu.usableBytes)}.` : ''
  return html`<section class="card" aria-labelledby="over-step-title">
<h2 id="over-step-title">Memory over the step ${memoryChip(config)}</h2>
<p class="sub">At micro-batch ${formatCount(current.microBatch)}, in the order of allocations and releases, not to scale in time.${limit} ${repetitionRemark(points)}</p>
${picture(points, phases, { top, limit: showsLimit ? gpu.usableBytes : undefined })}
<div class="scroll${phases.length > NARROW_PHASES ? ' wide' : ''}" role="region" aria-label="Memory at the highest moment of each phase, as a table" tabindex="0">${table(points, phases)}</div>
</section>`
}

/** As many as a phone's width has columns for. */
const NARROW_PHASES = 3

interface Phase {
  readonly name: string
  readonly from: number
  readonly points: Points
}

/** A phase that appears twice is numbered. */
function phasesOf(points: Points): readonly Phase[] {
  const starts = points.flatMap(({ phase }, index) =>
    phase === points[index - 1]?.phase ? [] : [{ phase, from: index }],
  )
  return starts.map(({ phase, from }, index) => {
    const isSecond = starts.slice(0, index).some(earlier => earlier.phase === phase)
    return { name: isSecond ? `2nd ${phase}` : phase, from, points: points.slice(from, starts[index + 1]?.from) }
  })
}

function presentKinds(points: Points): readonly Kind[] {
  return stackedKinds.filter(kind => points.some(({ breakdown }) => breakdown[kind] > 0)).toReversed()
}

const CHART_HEIGHT = 200
const PEAK_LINE = 18
const LABEL_LINES = 36
/** Coordinates of the drawing, which is stretched to the chart. */
const UNITS = 1_000

interface Scale {
  readonly top: number
  readonly limit: number | undefined
}

function picture(points: Points, phases: readonly Phase[], { top, limit }: Scale): Html {
  const yOf = (bytes: number) => Math.round(UNITS * (1 - bytes / top))
  const percent = (index: number) => `${((100 * index) / points.length).toFixed(2)}%`
  const bottom = PEAK_LINE + CHART_HEIGHT
  const peak = highestOf(points)
  const at = points.indexOf(peak) + 0.5
  const limitAt = limit === undefined ? undefined : PEAK_LINE + CHART_HEIGHT * (1 - limit / top)
  return html`<svg width="100%" height="${bottom + LABEL_LINES}" role="img" aria-label="${summary(phases, peak)}" font-size="12" fill="currentColor">
<svg y="${PEAK_LINE}" width="100%" height="${CHART_HEIGHT}" viewBox="0 0 ${points.length} ${UNITS}" preserveAspectRatio="none">${presentKinds(points).map(kind => area(points, kind, yOf))}</svg>
${limitAt === undefined ? '' : html`<g stroke-width="2"><line x1="0" x2="100%" y1="${limitAt}" y2="${limitAt}" stroke="var(--card)"/><line x1="0" x2="100%" y1="${limitAt}" y2="${limitAt}" stroke="var(--bad)" stroke-dasharray="8 4"/></g>`}
<line x1="${percent(at)}" x2="${percent(at)}" y1="${PEAK_LINE - 4}" y2="${PEAK_LINE + CHART_HEIGHT * (1 - peak.bytes / top)}" stroke="currentColor"/>
<text x="${percent(at)}" y="12" text-anchor="${at < points.length / 2 ? 'start' : 'end'}">peak ${formatGib(peak.bytes)}</text>
${phases.map(({ name, from }, index) => phaseLabel({ name, index, bottom, at: from / points.length }))}
</svg>`
}

interface PhaseLabel {
  readonly name: string
  readonly index: number
  /** Of the areas. */
  readonly bottom: number
  /** A share of the width. */
  readonly at: number
}

/** Alternates between two lines, so that neighbours do not overlap; near the right end, ends at its mark. */
function phaseLabel({ name, index, bottom, at }: PhaseLabel): Html {
  const x = `${(100 * at).toFixed(2)}%`
  const line = bottom + (index % 2 === 0 ? LABEL_LINES : LABEL_LINES / 2)
  const side = at > 0.75 ? html`dx="-4" text-anchor="end"` : html`dx="4"`
  return html`<line x1="${x}" x2="${x}" y1="${bottom}" y2="${line}" stroke="currentColor" stroke-opacity="0.4"/>
<text x="${x}" ${side} y="${line - 4}">${name}</text>`
}

/** Each area reaches down to the axis; lower ones are drawn over it. */
function area(points: Points, kind: Kind, yOf: (bytes: number) => number): Html {
  const below = stackedKinds.slice(0, stackedKinds.indexOf(kind) + 1)
  const steps = points.map(({ breakdown }) => `V${yOf(below.reduce((sum, each) => sum + breakdown[each], 0))}h1`)
  return html`<path fill="${colours[kind]}" d="M0 ${UNITS}${steps.join('')}V${UNITS}z"/>`
}

/** A description for screen readers. */
function summary(phases: readonly Phase[], peak: Points[number]): string {
  const highest = phases.map(({ name, points }) => `${name} up to ${formatGib(highestOf(points).bytes)}`)
  return `Memory by kind over one step: ${highest.join(', ')}. The peak, ${formatGib(peak.bytes)}, comes at: ${plainText(peak.moment, 200)}.`
}

function table(points: Points, phases: readonly Phase[]): Html {
  const highest = phases.map(phase => highestOf(phase.points))
  const cells = (bytes: (point: Points[number]) => number) =>
    highest.map(point => html`<td>${bytes(point) === 0 ? '–' : formatPart(bytes(point))}</td>`)
  return html`<table>
<thead><tr><th scope="col">At the highest moment of</th>${phases.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${presentKinds(points).map(
    kind =>
      html`<tr><th scope="row"><svg width="12" height="12" aria-hidden="true" focusable="false"><rect width="12" height="12" rx="2" fill="${colours[kind]}"/></svg>&nbsp;${partNames[kind]}</th>${cells(({ breakdown }) => breakdown[kind])}</tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">together</th>${cells(({ bytes }) => bytes)}</tr></tfoot>
</table>`
}
