/** What the recommendation brings: throughput, cost of a run, yearly savings, on terms that the reader can change. */
import { html } from 'hono/html'
import * as z from 'zod'
import { formatUsd } from '../../../engine/base/units.ts'
import { isSamePlan } from '../../../engine/metrics/recommend.ts'
import { formatCount, formatRatioRange, priceRemark } from '../../../engine/render/figures.ts'
import { plainText } from '../../../engine/render/plain.ts'
import { ratioRange } from '../../../engine/report/ranges.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import type { Html } from '../page.ts'
import { chip } from '../provenance.ts'
import { type CostTerms, costFigures } from './cost-figures.ts'

export type Terms = Omit<CostTerms, 'gpus'>

const positive = (max: number) => z.coerce.number().positive().max(max)

/** Terms in the address, from the form below. Invalid ones are ignored. */
const termsQuery = z.object({
  price: positive(10_000).optional().catch(undefined),
  hours: positive(100_000).optional().catch(undefined),
  runs: positive(1_000_000).optional().catch(undefined),
})

/** By the form's field names; undefined if not given. */
export type ToldTerms = z.infer<typeof termsQuery>

export function toldTerms(query: Readonly<Record<string, string>>): ToldTerms {
  return termsQuery.parse(query)
}

/** The report's terms, overridden by the address. */
export function termsOf({ gpu, hoursPerRun, runsPerYear }: AnalysedConfig, query: Record<string, string>): Terms {
  const { price, hours, runs } = toldTerms(query)
  return {
    pricePerHourUsd: price ?? gpu.pricePerHourUsd,
    hoursPerRun: hours ?? hoursPerRun,
    runsPerYear: runs ?? runsPerYear,
  }
}

/** The page's script recomputes the cards from the `data-` attributes, with the same functions. */
export function gains(config: AnalysedConfig, terms: Terms): Html {
  const title = isSamePlan(config.current, config.recommended) ? 'What a run costs' : 'What the change brings'
  return html`<section aria-labelledby="gains-title">
<h2 id="gains-title">${title}</h2>
${config.current.fits ? cards(config, terms) : html`<p class="card">The config does not run as it is, so there is no current speed or cost to compare with.</p>`}
</section>`
}

function cards(config: AnalysedConfig, terms: Terms): Html {
  const { speedup, spec, throughputProvenance, current, recommended } = config
  const range = ratioRange(speedup, config)
  const figures = costFigures({ ...terms, gpus: spec.gpus }, speedup, range)
  const compared = html`<div class="card gain"><dt>Speedup ${chip(throughputProvenance)}</dt><dd><strong>${formatRatioRange(range)}</strong><span>samples per second, recommended against now</span></dd></div>
<div class="card gain"><dt>Cost per run ${chip(throughputProvenance)}</dt><dd><strong data-cost="recommended">${figures.recommended}</strong><span>instead of <span data-cost="now">${figures.now}</span></span></dd></div>
<div class="card gain"><dt>Savings per year ${chip(throughputProvenance)}</dt><dd><strong data-cost="year">${figures.year}</strong><span>with the figures below</span></dd></div>`
  const unchanged = html`<div class="card gain"><dt>Cost per run</dt><dd><strong data-cost="now">${figures.now}</strong><span>with the figures below</span></dd></div>`
  return html`<div data-costs data-speedup="${speedup}" data-speedup-low="${range.low}" data-speedup-high="${range.high}" data-gpus="${spec.gpus}">
<dl class="gains">
${isSamePlan(current, recommended) ? unchanged : compared}
</dl>
${termsForm(config, terms)}
</div>`
}

function termsForm({ gpu, spec }: AnalysedConfig, terms: Terms): Html {
  const several = spec.gpus === 1 ? '' : `, times ${formatCount(spec.gpus)} GPUs`
  return html`<form method="get" class="card terms" aria-label="Cost assumptions">
<label>Price per hour ($)<input name="price" type="number" inputmode="decimal" min="0.001" max="10000" step="any" required value="${terms.pricePerHourUsd}"></label>
<label>Hours per run now<input name="hours" type="number" inputmode="decimal" min="0.001" max="100000" step="any" required value="${terms.hoursPerRun}"></label>
<label>Runs per year<input name="runs" type="number" inputmode="decimal" min="0.001" max="1000000" step="any" required value="${terms.runsPerYear}"></label>
<button class="secondary">Recalculate</button>
<p class="sub">Cost is hours × price${several}; a faster run takes fewer hours. ${plainText(gpu.name, 60)}: ${formatUsd(gpu.pricePerHourUsd)} an hour (${plainText(gpu.priceSource, 120)}, ${plainText(gpu.priceDate, 40)}${priceRemark(gpu)}).</p>
</form>`
}
