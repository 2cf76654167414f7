/** Numbers as every output writes them: of what, in which unit, how known. */
import { formatGib, formatPercent, formatRate, formatUsd, GIB } from '../base/units.ts'
import { shareOfUsable } from '../metrics/memory.ts'
import type { MemoryBand, Range } from '../metrics/range.ts'
import { errorBandOf } from '../report/ranges.ts'
import type { AnalysedConfig, OperatingPoint, ReportedGpu } from '../report/schema.ts'
import { isOfSound } from '../training/choices.ts'
import { SAMPLES_PER_SECOND } from '../training/sound.ts'
import type { TrainingSpec } from '../training/spec.ts'

/** `2.40 of 21.7 GiB`. */
export function ofUsable(peakBytes: number, usableBytes: number): string {
  return `${gibFigure(peakBytes)} of ${formatGib(usableBytes)}`
}

/** The number of `formatGib` alone. */
export function gibFigure(bytes: number): string {
  return formatGib(bytes).replace(' GiB', '')
}

/** The share of usable memory in percent: never rounded up to 100 while memory is free, nor down to 0. */
export function formatShare(config: Pick<AnalysedConfig, 'gpu'>, point: Pick<OperatingPoint, 'peakBytes'>): string {
  const share = shareOfUsable(config.gpu, point)
  if (!Number.isFinite(share)) return 'more than all'
  if (share < 1 && share > 0.99) return '99 %'
  return share > 0 && share < 0.01 ? 'under 1 %' : formatPercent(share)
}

/** Bytes of one kind; `under 0.01 GiB` instead of 0. */
export function formatPart(bytes: number): string {
  return bytes > 0 && bytes < GIB / 100 ? 'under 0.01 GiB' : formatGib(bytes)
}

/** `1.4×`; `1.04×` where one decimal would hide the gain, and `14×` where it would claim too much. */
export function formatRatio(ratio: number): string {
  if (ratio >= 10) return `${Math.round(ratio).toLocaleString('en-US')}×`
  return `${ratio.toFixed(ratio < 1.1 ? 2 : 1)}×`
}

/** `1.4–1.8×`, or `up to 1.3×` where it may be nothing. */
export function formatRatioRange({ low, high }: Range): string {
  const [least, most] = [formatRatio(low), formatRatio(high)]
  if (low <= 1 && high > 1) return `up to ${most}`
  return least === most ? least : `${least.replace('×', '')}–${most}`
}

/** `$30–60`, or `up to $60`, rounded to the precision that the range's width supports. */
export function formatYearlyRange({ low, high }: Range): string {
  const step = roundStep((high - low) / 2)
  const rounded = (usd: number) => Math.round(usd / step) * step
  const [least, most] = [rounded(low), rounded(high)]
  if (least <= 0) return `up to ${formatYearlyUsd(most)}`
  return least === most ? formatYearlyUsd(least) : `${formatYearlyUsd(least)}–${formatCount(most)}`
}

/** `310–450`, rounded to the precision that the range's width supports. */
export function formatRateRange({ low, high }: Range): string {
  return formatRange({ low, high }, 10 ** Math.floor(Math.log10(high) - 1), formatNumber)
}

/** `310–450`, or a single figure without a range. */
export function formatSpeed(samplesPerSecond: number, range: Range | undefined): string {
  return range === undefined ? formatRate(samplesPerSecond) : formatRateRange(range)
}

/** The current cost follows from the settings; any other depends on the speedup and so has a range. */
export function formatRunCost({
  costPerRunUsd,
  costPerRunRangeUsd,
}: Pick<OperatingPoint, 'costPerRunUsd' | 'costPerRunRangeUsd'>): string {
  return costPerRunRangeUsd === undefined ? formatUsd(costPerRunUsd) : formatUsdRange(costPerRunRangeUsd)
}

/** `$1.40–1.90`, to the cent at most. */
export function formatUsdRange({ low, high }: Range): string {
  return `$${formatRange({ low, high }, 0.01, usd => formatUsd(usd).replace('$', ''))}`
}

function formatRange({ low, high }: Range, least: number, format: (value: number) => string): string {
  const step = roundStep((high - low) / 4, least)
  // A value above 0 is not rounded to 0.
  const rounded = (value: number) => format(Math.max(step, Math.round(value / step) * step))
  const [from, to] = [rounded(low), rounded(high)]
  return from === to ? from : `${from}–${to}`
}

/** As many digits as its size leaves room for: `0.35`, `4.2`, `1,400`. */
function formatNumber(value: number): string {
  const digits = value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 }
  return value.toLocaleString('en-US', digits)
}

/** The largest of 1, 2, 5, 10, 20, … that is not above `width`, by tenths and hundredths too; at least `least`. */
function roundStep(width: number, least = 1): number {
  if (width < 2 * least) return least
  const power = 10 ** Math.floor(Math.log10(width))
  return ([5, 2, 1].find(digit => digit * power <= width) ?? 1) * power
}

/** Whole dollars: hours a run and runs a year are round guesses, so cents would claim too much. */
export function formatYearlyUsd(usd: number): string {
  return `$${formatCount(Math.round(usd))}`
}

/** `$34`, or `−$6` of what costs more. */
export function formatSignedUsd(usd: number): string {
  return Math.round(usd) < 0 ? `−${formatYearlyUsd(-usd)}` : formatYearlyUsd(Math.max(0, usd))
}

/** Micro-batch and accumulation: `16 × 8`. */
export function formatBatch(point: Pick<OperatingPoint, 'microBatch' | 'gradientAccumulation'>): string {
  return `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`
}

/** `2026-11-20`. */
export function formatDate(at: Date): string {
  return at.toISOString().slice(0, 10)
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `estimated, ±3 %`, or `estimated, −2…+12 %`. */
export function memoryProvenance(
  config: Pick<AnalysedConfig, 'provenance' | 'errorBandPercent' | 'errorBand' | 'calibration'>,
): string {
  const { lowPercent, highPercent } = errorBandOf(config)
  const known = `${config.provenance}${calibrated(config.calibration?.memory)}`
  if (lowPercent === 0 && highPercent === 0) return known
  return `${known}, ${formatBand({ lowPercent, highPercent })}`
}

/** `±3 %`, or `−2…+12 %`. */
export function formatBand({ lowPercent, highPercent }: MemoryBand): string {
  return -lowPercent === highPercent ? `±${highPercent} %` : `−${-lowPercent}…+${highPercent} %`
}

/** `, calibrated on 14 runs of this runner`; empty if no run has corrected the figure. */
function calibrated(correction: { readonly runs: number } | undefined): string {
  if (correction === undefined) return ''
  const { runs } = correction
  return `, calibrated on ${formatCount(runs)} run${runs === 1 ? '' : 's'} of this runner`
}

/** `measured, ±1.2 %`, or `modelled, calibrated on 14 runs of this runner`. */
export function throughputProvenance({
  throughputProvenance: provenance,
  throughputBandPercent = 0,
  calibration,
}: Pick<AnalysedConfig, 'throughputProvenance' | 'throughputBandPercent' | 'calibration'>): string {
  if (provenance === 'modelled') return `${provenance}${calibrated(calibration?.speed)}`
  return throughputBandPercent === 0 ? provenance : `${provenance}, ±${throughputBandPercent} %`
}

/** `██▏░░`: eighths of a cell, cut at the full bar. */
export function bar(fraction: number, cells: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, fraction)) * cells * 8)
  const full = Math.floor(eighths / 8)
  const partial = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8] ?? ''
  return ('█'.repeat(full) + partial).padEnd(cells, '░')
}

const priceCaveatTexts: Readonly<Record<Exclude<NonNullable<ReportedGpu['priceCaveat']>, 'not-given'>, string>> = {
  'older-than-a-year': 'older than a year',
  undated: 'undated',
  'of-another-card': 'of a similar card',
}

/**
 * ` (described in .github/memorymark.yml, line 3)` for a GPU that a team describes, escaped by `safe`; empty for one of
 * the catalogue.
 */
export function describedRemark(
  { describedAt }: Pick<ReportedGpu, 'describedAt'>,
  safe: (text: string, maxCharacters: number) => string,
): string {
  return describedAt === undefined ? '' : ` (described in ${safe(describedAt, 120)})`
}

/** Whether costs in dollars can be given. */
export function hasPrice({ priceCaveat }: Pick<ReportedGpu, 'priceCaveat'>): boolean {
  return priceCaveat !== 'not-given'
}

/** `$1.29 an hour`. */
export function formatHourly(gpu: Pick<ReportedGpu, 'pricePerHourUsd' | 'priceCaveat'>): string {
  return hasPrice(gpu) ? `${formatUsd(gpu.pricePerHourUsd)} an hour` : 'a price that is not given'
}

/** `, undated`: why a price is less certain; empty for a price for this GPU from the last twelve months. */
export function priceRemark({ priceCaveat }: Pick<ReportedGpu, 'priceCaveat'>): string {
  return priceCaveat === undefined || priceCaveat === 'not-given' ? '' : `, ${priceCaveatTexts[priceCaveat]}`
}

/** `length`: tokens, or samples of sound. */
export function lengthInWords({ task }: Pick<TrainingSpec, 'task'>, length: number): string {
  if (!isOfSound(task)) return `${formatCount(length)} tokens`
  return `${(length / SAMPLES_PER_SECOND).toLocaleString('en-US', { maximumFractionDigits: 1 })} seconds of sound`
}
