/** The figures behind a verdict, for a reader who wants to check it. */

import { formatGib, formatPercent } from '../base/units.ts'
import { highestPeak } from '../metrics/range.ts'
import { peakOf } from '../probes/trial.ts'
import { errorBandOf } from '../report/ranges.ts'
import type { AnalysedConfig, Breakdown, Outcome, Trial } from '../report/schema.ts'
import {
  describedRemark,
  formatCount,
  formatHourly,
  formatPart,
  hasPrice,
  lengthInWords,
  memoryProvenance,
  priceRemark,
} from './figures.ts'
import { leverDetails } from './lever-sections.ts'
import { escapeText, htmlLink, inlineCode, table } from './markdown.ts'
import { memoryChart, spread } from './memory-chart.ts'
import { peakHeadings, peakRows } from './run-peaks.ts'

/** Further sizes of a sweep add nothing to the chart. */
const MAX_TRIALS = 24

export const partNames: Readonly<Record<keyof Breakdown, string>> = {
  weights: 'weights',
  gradients: 'gradients',
  optimizerState: 'optimizer state',
  activations: 'activations',
  logits: 'logits',
  temporaries: 'temporaries',
  inputs: 'inputs',
  workspace: 'library workspace',
}

/** The parts of a peak that are not empty, largest first. */
export function partsOf(breakdown: Breakdown): { readonly name: string; readonly bytes: number }[] {
  return (Object.keys(partNames) as (keyof Breakdown)[])
    .map(kind => ({ name: partNames[kind], bytes: breakdown[kind] }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
}

export function configDetails(config: AnalysedConfig): string {
  return [
    ...whereItGoes(config),
    ...otherMoments(config),
    ...leverDetails(config),
    ...sizesTried(config),
    ...takenForGranted(config),
    ...playground(config),
  ].join('\n\n')
}

function playground({ playgroundLink }: AnalysedConfig): string[] {
  if (playgroundLink === undefined) return []
  return [`${htmlLink('Open this config in the playground', playgroundLink)}, which estimates it on any GPU.`]
}

function whereItGoes(config: AnalysedConfig): string[] {
  const { current, breakdown, peakMoment } = config
  const heading = `**Where the memory goes** at micro-batch ${formatCount(current.microBatch)}. Peak reached during: ${escapeText(peakMoment)}.`
  const share = (bytes: number) => (current.peakBytes === 0 ? '–' : formatPercent(bytes / current.peakBytes))
  const rows = partsOf(breakdown).map(({ name, bytes }) => [name, formatPart(bytes), share(bytes)])
  const total = ['**peak**', `**${formatGib(current.peakBytes)}**`, memoryProvenance(config)]
  return [heading, table([['', 'memory', 'share of the peak'], ...rows, total], ['l', 'r', 'r'])]
}

function otherMoments(config: AnalysedConfig): string[] {
  const rows = peakRows(config)
  if (rows.length === 0) return []
  const known = `**Where the run could run out of memory**, ${memoryProvenance(config)}`
  return [
    known,
    table([[...peakHeadings], ...rows.map(row => row.map(cell => escapeText(cell)))], ['l', 'r', 'r', 'l']),
  ]
}

function sizesTried(config: AnalysedConfig): string[] {
  const trials = config.trials.toSorted((a, b) => a.microBatch - b.microBatch)
  const shown = spread(trials, MAX_TRIALS)
  const chart = memoryChart(config)
  if (shown.length === 0) return chart ? [chart] : []
  const counted = shown.length < trials.length ? ` (${shown.length} of ${formatCount(trials.length)} shown)` : ''
  const explained = shown.some(({ accumulates }) => accumulates)
    ? '; accumulating: beside the gradients of an earlier micro-batch'
    : ''
  const header = ['micro-batch', 'peak memory', 'result', 'provenance']
  return [
    `**Sizes tried**${counted}${explained}`,
    ...(chart ? [chart] : []),
    table([header, ...shown.map(trial => trialRow(trial, config))], ['r', 'r', 'l', 'l']),
  ]
}

function trialRow({ microBatch, accumulates, provenance, outcome }: Trial, config: AnalysedConfig): string[] {
  const size = `${accumulates ? 'accumulating ' : ''}${formatCount(microBatch)}`
  return [size, outcomePeak(outcome), outcomeWords(outcome, config), provenance]
}

function outcomePeak(outcome: Outcome): string {
  const bytes = peakOf(outcome)
  return bytes === undefined ? '–' : formatGib(bytes)
}

function outcomeWords(outcome: Outcome, config: AnalysedConfig): string {
  const { usableBytes } = config.gpu
  switch (outcome.kind) {
    case 'fits': {
      const peakBytes = outcome.peakBytes ?? 0
      return highestPeak({ peakBytes, errorBand: errorBandOf(config) }) > usableBytes ? 'may not fit' : 'fits'
    }
    case 'out-of-memory':
      // There is enough free memory, but each free block of the caching allocator may be too small.
      return (outcome.neededBytes ?? Number.POSITIVE_INFINITY) <= usableBytes
        ? 'out of memory (fragmented)'
        : 'out of memory'
    case 'timed-out':
      return `timed out after ${formatCount(Math.round(outcome.afterMillis / 1_000))} s`
    case 'failed':
      return `failed: ${escapeText(outcome.problem.message, 120)}`
  }
}

function takenForGranted(config: AnalysedConfig): string[] {
  const lines = [specLine(config), priceLine(config), ...config.assumptions.map(assumption => escapeText(assumption))]
  return ['**What the figures are based on**', lines.map(line => `- ${line}`).join('\n')]
}

function specLine({ spec, dialect }: AnalysedConfig): string {
  const { sequenceLength: length, imageSize: size } = spec
  const input = length
    ? [lengthInWords(spec, length)]
    : size
      ? [`${formatCount(size)}×${formatCount(size)} pixels`]
      : []
  const settings = [
    spec.task,
    ...input,
    spec.precision,
    ...(spec.lora ? [`LoRA rank ${spec.lora.rank} on ${escapeText(spec.lora.targets.join(', '), 200)}`] : []),
    ...(spec.quantization ? [`${spec.quantization} base weights`] : []),
    spec.optimizer,
    `${spec.attention} attention${spec.sdpaKernel === undefined ? '' : ` in its ${spec.sdpaKernel} kernel alone`}`,
    `checkpointing ${spec.gradientCheckpointing ? 'on' : 'off'}`,
    `${formatCount(spec.gpus)} GPU${spec.gpus === 1 ? '' : 's'}${spec.gpus > 1 ? ` (${spec.sharding ?? 'ddp'})` : ''}`,
    spec.step === 'training' ? 'a training step' : 'forward and backward only',
  ]
  return `${inlineCode(spec.model, 100)}: ${settings.join(', ')}; format: ${escapeText(dialect, 60)}.`
}

/** `NVIDIA A10 at $0.60 an hour (…); 2 hours per run at the current batch, 100 runs per year.` */
export function priceLine({ gpu, hoursPerRun, runsPerYear }: AnalysedConfig): string {
  const source = hasPrice(gpu)
    ? ` (${escapeText(gpu.priceSource)}, ${escapeText(gpu.priceDate, 40)}${priceRemark(gpu)})`
    : ''
  return `${escapeText(gpu.name, 60)}${describedRemark(gpu, escapeText)} at ${formatHourly(gpu)}${source}; ${formatCount(hoursPerRun)} hours per run at the current batch, ${formatCount(runsPerYear)} runs per year.`
}
