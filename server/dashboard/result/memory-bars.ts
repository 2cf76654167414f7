/** Bars of memory for the current, recommended and largest batch. */

import { html } from 'hono/html'
import { formatGib } from '../../../engine/base/units.ts'
import { idleBytes, missingBytes } from '../../../engine/metrics/memory.ts'
import { isSamePlan } from '../../../engine/metrics/recommend.ts'
import { formatCount, formatShare, formatSpeed, ofUsable } from '../../../engine/render/figures.ts'
import { plainText } from '../../../engine/render/plain.ts'
import type { AnalysedConfig, OperatingPoint } from '../../../engine/report/schema.ts'
import type { Html } from '../page.ts'
import { chip, memoryChip } from '../provenance.ts'

type Role = 'now' | 'recommended' | 'largest'

interface Bar {
  readonly role: Role
  readonly name: string
  readonly point: OperatingPoint
}

export function memoryBars(config: AnalysedConfig): Html {
  const { gpu, spec } = config
  const bars = barsOf(config)
  // The scale includes a peak above the GPU's memory, so that it visibly crosses the limit.
  const scaleBytes = Math.max(gpu.usableBytes, ...bars.map(({ point }) => point.peakBytes), 1)
  const several = spec.gpus === 1 ? '' : ` Each of the ${formatCount(spec.gpus)} GPUs is as shown here.`
  return html`<section class="card" aria-labelledby="memory-title">
<h2 id="memory-title">Peak memory ${memoryChip(config)}</h2>
<p class="sub">${formatGib(gpu.usableBytes)} of the ${plainText(gpu.name, 60)} is usable: ${formatGib(gpu.totalBytes)} less the CUDA context.${several}${config.provenance === 'measured' ? '' : ' Hatched: not measured.'}</p>
${hatching}
<ul class="bars">${bars.map(bar => barItem(config, bar, scaleBytes))}</ul>
</section>`
}

/** Leaves out a size that repeats another. */
function barsOf({ current, recommended, largest }: AnalysedConfig): Bar[] {
  const keepsCurrent = isSamePlan(current, recommended)
  const isLargest = recommended !== undefined && isSamePlan(recommended, largest)
  return [
    { role: 'now', name: keepsCurrent ? 'Now, and recommended' : 'Now', point: current },
    ...(recommended && !keepsCurrent
      ? [
          {
            role: 'recommended',
            name: isLargest ? 'Recommended, the largest' : 'Recommended',
            point: recommended,
          } as const,
        ]
      : []),
    ...(largest && !isLargest && !isSamePlan(largest, current)
      ? [{ role: 'largest', name: 'Largest that fits', point: largest } as const]
      : []),
  ]
}

function barItem(config: AnalysedConfig, { role, name, point }: Bar, scaleBytes: number): Html {
  const { gpu } = config
  const size = `micro-batch ${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`
  const memory = `${ofUsable(point.peakBytes, gpu.usableBytes)} (${formatShare(config, point)})`
  return html`<li class="bar ${role} ${config.provenance} ${toneOf(config, role, point)}">
<p class="bar-head"><strong>${name}</strong> <span>${size}</span></p>
${track(point.peakBytes / scaleBytes, gpu.usableBytes / scaleBytes)}
<p class="bar-foot"><strong>${memory}</strong> <span>${remainder(config, point)}</span>${rate(config, point)}</p>
</li>`
}

/** The bar's CSS class: the current size has the verdict's colour; others are coloured only if they do not fit. */
function toneOf({ verdict, recommended }: AnalysedConfig, role: Role, point: OperatingPoint): string {
  if (!point.fits || (role === 'now' && verdict.state === 'blocked')) return 'alarm'
  if (role === 'now' && verdict.state === 'warning') return 'warn'
  return role === 'recommended' || isSamePlan(point, recommended) ? 'good' : 'calm'
}

/** Hatched if it was not measured. */
const hatching = html`<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="4" height="8"/></pattern></defs></svg>`

/** Hidden from screen readers, because the numbers are in text beside it. */
function track(filled: number, limit: number): Html {
  const percent = (share: number) => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`
  return html`<svg class="track" width="100%" height="28" aria-hidden="true" focusable="false">
<rect class="room" width="${percent(limit)}" height="100%" rx="4"/>
<rect class="fill" width="${percent(filled)}" height="100%" rx="4"/>
<rect class="unsure" width="${percent(filled)}" height="100%" rx="4" fill="url(#hatch)"/>
${limit < 1 ? html`<line class="limit" x1="${percent(limit)}" x2="${percent(limit)}" y1="0" y2="100%"/>` : ''}
</svg>`
}

function remainder({ gpu }: AnalysedConfig, point: OperatingPoint): string {
  if (!point.fits) {
    const missing = missingBytes(gpu, point)
    return missing > 0
      ? `${formatGib(missing)} too much: out of memory`
      : 'out of memory: the free pieces are too small for the next tensor'
  }
  return `${formatGib(idleBytes(gpu, point))} idle`
}

function rate({ throughputProvenance }: AnalysedConfig, point: OperatingPoint): Html | '' {
  if (!point.fits || point.samplesPerSecond === undefined) return ''
  const { samplesPerSecond, samplesPerSecondRange: range } = point
  return html` <span>${formatSpeed(samplesPerSecond, range)} samples/s ${chip(throughputProvenance)}</span>`
}
