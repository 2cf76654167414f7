/** Every size that was tried, in order of size, with how it is known. */
import { html } from 'hono/html'
import { formatGib } from '../../../engine/base/units.ts'
import { peakOf, type Trial } from '../../../engine/probes/trial.ts'
import { formatCount } from '../../../engine/render/figures.ts'
import type { AnalysedConfig, Outcome } from '../../../engine/report/schema.ts'
import type { Html } from '../page.ts'
import { chip } from '../provenance.ts'
import { outcomeText } from '../trial-line.ts'

/** More rows than this are shown when asked for. */
const MANY = 12

export function sizesCard({ trials, gpu }: AnalysedConfig): Html {
  const sorted = trials.toSorted((a, b) => a.microBatch - b.microBatch)
  return html`<section class="card" aria-labelledby="sizes-title">
<h2 id="sizes-title">Sizes tried</h2>
<details${sorted.length > MANY ? '' : html` open`}>
<summary>${formatCount(sorted.length)} ${sorted.length === 1 ? 'trial' : 'trials'}, as a table</summary>
<div class="scroll" role="region" aria-label="Sizes tried, as a table" tabindex="0"><table>
<thead><tr><th scope="col">Micro-batch</th><th scope="col">Result</th><th scope="col">Peak memory</th><th scope="col">Step</th><th scope="col">Provenance</th></tr></thead>
<tbody>${sorted.map(trial => row(trial, gpu.usableBytes))}</tbody>
</table></div>
${sorted.some(({ outcome }) => isFragmented(outcome, gpu.usableBytes)) ? html`<p class="sub">${FRAGMENTED}</p>` : ''}
</details>
</section>`
}

/** Explains the word "fragmented". */
export const FRAGMENTED =
  "Fragmented: the bytes would fit, but the free pieces between PyTorch's allocations are each too small for the next tensor."

/** There is enough free memory, but each free block of the caching allocator may be too small. */
function isFragmented(outcome: Outcome, usableBytes: number): boolean {
  return outcome.kind === 'out-of-memory' && (outcome.neededBytes ?? Number.POSITIVE_INFINITY) <= usableBytes
}

function row({ microBatch, accumulates, outcome, provenance }: Trial, usableBytes: number): Html {
  const peak = peakOf(outcome)
  const step = outcome.kind === 'fits' ? outcome.stepMillis : undefined
  return html`<tr><th scope="row">${formatCount(microBatch)}${accumulates ? ', accumulating' : ''}</th><td>${outcomeText(outcome)}${isFragmented(outcome, usableBytes) ? ' (fragmented)' : ''}</td><td>${peak === undefined ? '–' : formatGib(peak)}</td><td>${step === undefined ? '–' : `${formatCount(Math.round(step))} ms`}</td><td>${chip(provenance)}</td></tr>`
}
