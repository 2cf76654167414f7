/** What to change, as plain sentences: the same advice on the pull request, in the check and in the terminal. */
import { unreadSentence } from '../config/fields/memory-settings.ts'
import { SETTINGS_PATH } from '../config/fields/supplied.ts'
import { ratioRange, savingsRangeOf } from '../report/ranges.ts'
import type { AnalysedConfig, OperatingPoint } from '../report/schema.ts'
import { tooLargePeak } from '../report/too-large-peak.ts'
import { comparesWithinBatch, generatesCompletions } from '../training/batches.ts'
import { formatCount, formatRatioRange, formatYearlyRange, lengthInWords, ofUsable } from './figures.ts'
import { plainText } from './plain.ts'
import { sparedSentences } from './spared.ts'
import { findingOf } from './verdict.ts'

/** Smaller modelled speedups are within the model's error. */
const WORTHWHILE_SPEEDUP = 1.02

/** Dollars a year; less does not matter to a budget. */
const WORTHWHILE_USD = 1

/** Whether the recommendation asks for anything. */
function recommendsChange(config: AnalysedConfig): boolean {
  const { recommended, current } = config
  return recommended !== undefined && (!current.fits || recommended.microBatch !== current.microBatch)
}

/** `Micro-batch 16 → 128, accumulation 8 → 1`, marked up by `strong`. */
function batchChange(from: OperatingPoint, to: OperatingPoint, strong = (text: string) => text): string {
  const micro = `Micro-batch ${strong(change(from.microBatch, to.microBatch))}`
  if (from.gradientAccumulation === to.gradientAccumulation) return micro
  return `${micro}, accumulation ${change(from.gradientAccumulation, to.gradientAccumulation)}`
}

/** Says whether the effective batch changes, since that changes the training and not only its speed. */
function effectiveBatchNote({ spec }: AnalysedConfig, from: OperatingPoint, to: OperatingPoint): string {
  if (from.effectiveBatch === to.effectiveBatch) {
    if (from.microBatch === to.microBatch || !comparesWithinBatch(spec)) return 'same effective batch'
    const others = to.microBatch > from.microBatch ? 'more' : 'fewer'
    return `same effective batch, of which the loss compares each sample with ${others} others (this changes the training)`
  }
  return `effective batch ${change(from.effectiveBatch, to.effectiveBatch)} (this changes the training: revisit the learning rate and the number of steps)`
}

/** `1.4–1.8×` and `$30–60 a year`, each absent without a gain; both absent if the current batch does not fit. */
export function gainFigures(config: AnalysedConfig): { readonly speed?: string; readonly money?: string } {
  if (!config.current.fits) return {}
  return {
    ...(config.speedup >= WORTHWHILE_SPEEDUP && { speed: formatRatioRange(ratioRange(config.speedup, config)) }),
    ...(config.savingsPerYearUsd >= WORTHWHILE_USD && {
      money: `${formatYearlyRange(savingsRangeOf(config))} a year`,
    }),
  }
}

/** `1.4–1.8× the throughput`, `$30–60 a year less`. */
function gains(config: AnalysedConfig, strong = (text: string) => text): string[] {
  const { speed, money } = gainFigures(config)
  return [
    ...(speed === undefined ? [] : [`${speed} the throughput`]),
    ...(money === undefined ? [] : [`${strong(money)} less`]),
  ]
}

/**
 * What to do, in the order in which to consider it; empty if there is nothing to do. `strong` marks up the key figures.
 */
export function advice(config: AnalysedConfig, strong?: (text: string) => string): string[] {
  const change = changeSentence(config, strong)
  const further = beyondSentence(config)
  const sentences = config.current.fits ? [change, further] : [largestSentence(config), change, further]
  const gpus = [gpusSentence(config), assumedGpuSentence(config), cardsSentence(config)]
  return [...sentences, ...outsideTheStep(config), ...gpus]
    .filter(sentence => sentence !== undefined)
    .concat(sparedSentences(config))
}

/** `advice` without what `laterAdvice` says and without how to name the GPU. */
export function firstAdvice(config: AnalysedConfig, strong?: (text: string) => string): string[] {
  const change = changeSentence(config, strong)
  const sentences = config.current.fits
    ? [change ?? beyondSentence(config)]
    : [largestSentence(config), change, gpusSentence(config)]
  return [...sentences, ...outsideTheStep(config), cardsSentence(config)]
    .filter(sentence => sentence !== undefined)
    .concat(sparedSentences(config))
}

/**
 * Remarks on what the training step does not show: loading, evaluation, settings that were not understood, and what was
 * assumed.
 */
function outsideTheStep(config: AnalysedConfig): (string | undefined)[] {
  const unread = unreadSentence(config.unreadSettings)
  const assumed = [
    lengthSentence(config),
    checkpointingSentence(config),
    tooMuchSentence(config),
    textOnlySentence(config),
  ]
  return [loadingSentence(config), evaluationSentence(config), savingSentence(config), unread, ...assumed]
}

/** The larger effective batch, if the recommendation is worth following without it. */
export function laterAdvice(config: AnalysedConfig): string[] {
  const further = beyondSentence(config)
  return further !== undefined && recommendsChange(config) ? [further] : []
}

/** The change with its effects in one sentence; undefined where there is nothing to change. */
function changeSentence(config: AnalysedConfig, strong = (text: string) => text): string | undefined {
  const { current, recommended } = config
  if (recommended === undefined || !recommendsChange(config)) return undefined
  const effects = [effectiveBatchNote(config, current, recommended), ...gains(config, strong)]
  return `${batchChange(current, recommended, strong)}: ${effects.join(', ')}.`
}

/** A recommendation that keeps the effective batch may be slower than the largest batch; offers that as well. */
function beyondSentence(config: AnalysedConfig): string | undefined {
  const { recommended, beyond } = config
  if (recommended?.samplesPerSecond === undefined || beyond?.samplesPerSecond === undefined) return undefined
  const speedup = formatRatioRange(ratioRange(beyond.samplesPerSecond / recommended.samplesPerSecond, config))
  return `Going further, micro-batch ${change(recommended.microBatch, beyond.microBatch)} would bring ${speedup} the throughput again, with ${effectiveBatchNote(config, recommended, beyond)}.`
}

/** Whether the recommendation makes a config fit that does not, or brings speed or savings. */
export function isWorthFollowing(config: AnalysedConfig): boolean {
  return recommendsChange(config) && (!config.current.fits || gains(config).length > 0)
}

/** For a config that is fine: what could still be had, or that nothing can. */
export function fineRemark(config: AnalysedConfig): string {
  const { leftOut } = config
  const remarks = [
    furtherGain(config),
    leftOut && `only text is counted, without ${leftOut}`,
    waitingPeak(config) && 'but it may die while it loads: take transformers 5.4, or set HF_DEACTIVATE_ASYNC_LOAD=1',
  ]
  return remarks.filter(remark => remark !== undefined).join('; ')
}

/** Loading that may not fit, where all weights may wait in 16 bits to be quantised. */
function waitingPeak({ peaks = [] }: AnalysedConfig) {
  return peaks.find(({ waitsInFull, state }) => waitsInFull && state === 'may-not-fit')
}

function furtherGain(config: AnalysedConfig): string {
  const { recommended, spec } = config
  if (generatesCompletions(spec)) {
    return 'what another micro-batch would gain depends on how long generation takes, which is not modelled'
  }
  if (config.throughputProvenance === 'unknown') {
    return "what another micro-batch would gain is unknown without the GPU's bandwidth and FLOP/s"
  }
  if (recommended === undefined || !isWorthFollowing(config)) return 'nothing to gain'
  return `micro-batch ${formatCount(recommended.microBatch)} would bring ${gains(config).join(' and ')}`
}

/** Only if loading the weights certainly does not fit, or hangs on which of transformers' threads is faster. */
function loadingSentence(config: AnalysedConfig): string | undefined {
  const { gpu, spec, current } = config
  const waiting = waitingPeak(config)
  if (waiting !== undefined) {
    return `The run may die while it loads: transformers 5.0 to 5.3 have up to all weights on the GPU in 16 bits before they are quantised, ${ofUsable(waiting.peakBytes, gpu.usableBytes)} (${waiting.provenance}). Take 5.4 or newer, or set HF_DEACTIVATE_ASYNC_LOAD=1.`
  }
  const peak = tooLargePeak(config, 'loading')
  if (peak === undefined) return undefined
  if (spec.quantizesOnLoad && spec.loadsWhole === undefined) {
    if (!current.fits) return undefined
    return `The run would die before its first step: loading the weights, one at a time in 16 bits until it is quantised, needs ${ofUsable(peak.peakBytes, gpu.usableBytes)} (${peak.provenance}).`
  }
  const needs = `The run would die before its first step: every GPU holds the whole quantised model until it is divided, which needs ${ofUsable(peak.peakBytes, gpu.usableBytes)} (${peak.provenance})`
  if (spec.sharding === 'zero3') return `${needs}; FSDP with transformers 4.39 to 4.57 divides it on the host.`
  return `${needs}; transformers 4.39 to 4.57 divides it on the host.`
}

/** Only if evaluation certainly does not fit. */
function evaluationSentence(config: AnalysedConfig): string | undefined {
  const { gpu, current, spec } = config
  const peak = tooLargePeak(config, 'evaluation')
  if (peak?.microBatch === undefined) return undefined
  const { microBatch, peakBytes, fittingMicroBatch } = peak
  const opening = current.fits ? 'The run would die in its first evaluation' : 'Its evaluation does not fit either'
  const samples = microBatch === 1 ? 'one sample at a time needs' : `${formatCount(microBatch)} samples at a time need`
  const needs = `${opening}: ${samples} ${ofUsable(peakBytes, gpu.usableBytes)} (${peak.provenance})`
  if (fittingMicroBatch === undefined) {
    const none = microBatch === 1 ? '' : ", and not even one fits beside the optimizer's state"
    return `${needs}${none}: evaluate shorter samples, or set eval_strategy: no.`
  }
  const setting = config.dialect === 'Axolotl' ? 'eval_batch_size' : 'per_device_eval_batch_size'
  if (!generatesCompletions(spec)) return `${needs}; ${setting}: ${fittingMicroBatch} would fit.`
  return `${needs}; a ${setting} up to ${fittingMicroBatch} would fit: times the GPUs, a multiple of num_generations.`
}

/** Only if gathering sharded weights for a checkpoint certainly does not fit; of a part, only where the step itself does. */
function savingSentence(config: AnalysedConfig): string | undefined {
  const { gpu, current } = config
  const peak = tooLargePeak(config, 'saving')
  const isWhole = peak?.gathersWhole === true
  if (peak === undefined || !(current.fits || isWhole)) return undefined
  const opening = current.fits ? 'The run would die when it saves' : 'Saving does not fit either'
  const needs = `${opening}: every GPU gathers ${isWhole ? 'the whole model' : 'a layer at a time'} for a checkpoint, which needs ${ofUsable(peak.peakBytes, gpu.usableBytes)} (${peak.provenance})`
  if (!isWhole) return `${needs}.`
  return config.spec.wrapsWholeModel
    ? `${needs}; with an auto_wrap_policy it goes to the host a layer at a time.`
    : `${needs}; from transformers 4.30 on it goes to the host unit by unit.`
}

/** For a config that is not fine and whose sequence length was assumed. */
function lengthSentence({ assumed = [], spec, verdict }: AnalysedConfig): string | undefined {
  if (!assumed.includes('length') || verdict.state === 'fine' || spec.sequenceLength === undefined) return undefined
  const length = lengthInWords(spec, spec.sequenceLength)
  const found =
    spec.targetLength === undefined
      ? `No length of sequences is found: ${length} are assumed.`
      : `The lengths of sources and targets are not both found: ${formatCount(spec.sequenceLength)} and ${formatCount(spec.targetLength)} tokens are counted.`
  return `${found} To say how long they are, set sequence_length for this path in the overrides of ${SETTINGS_PATH}.`
}

/** For a config that does not fit as it is, and that code which sets more than the file does may make fit. */
function checkpointingSentence({ assumed = [], spec, current }: AnalysedConfig): string | undefined {
  if (!assumed.includes('code') || current.fits || spec.gradientCheckpointing) return undefined
  return 'No gradient checkpointing is counted: if what is not in the file turns it on, less memory is needed.'
}

/** For a config that does not fit by an estimate that is known to be high. */
function tooMuchSentence({ assumed = [] }: AnalysedConfig): string | undefined {
  if (!assumed.includes('upper-bound')) return undefined
  return 'More memory is counted than the training takes: what the figures are based on says why.'
}

/** For a model that reads more than text, of which the config does not say how much. */
function textOnlySentence({ leftOut }: AnalysedConfig): string | undefined {
  return leftOut && `Only text is counted: ${leftOut} in the samples take more.`
}

/** For a config that does not fit one GPU and whose number of GPUs was assumed. */
function gpusSentence({ assumed = [], spec, current }: AnalysedConfig): string | undefined {
  if (!assumed.includes('gpus') || spec.gpus > 1 || current.fits) return undefined
  return `One GPU is assumed: divided among several by FSDP or ZeRO-3 it would fit. To say how many train together, set gpus for this path in the overrides of ${SETTINGS_PATH}.`
}

/** For a config whose GPU was assumed: which one, and where to name another. */
export function assumedGpuSentence({ cardFits, gpu, askedGpu }: AnalysedConfig): string | undefined {
  if (cardFits === undefined) return undefined
  if (askedGpu !== undefined) return `${askedGpu} Until then, the ${shortName(gpu)} is assumed.`
  return `No GPU is named: the ${shortName(gpu)} is assumed. To name yours, write its id in ${SETTINGS_PATH}, such as gpu: ${gpu.id}.`
}

/** For a config that may not fit the assumed GPU: the common GPUs that it fits. */
function cardsSentence(config: AnalysedConfig): string | undefined {
  const { cardFits } = config
  if (cardFits === undefined || findingOf(config) !== 'may-not-fit') return undefined
  const fitting = cardFits.filter(({ fits }) => fits).map(card => shortName(card.gpu))
  return `As it is, the config fits ${fitting.length === 0 ? 'none of the common cards' : fitting.join(', ')}.`
}

/** The GPU's name without its vendor. */
export function shortName({ name }: { readonly name: string }): string {
  return plainText(name, 60).replace(/^NVIDIA (?:GeForce )?/, '')
}

/**
 * The largest batch that fits, if the current one does not. Told with the length that is counted: a config's length is a
 * limit, and shorter samples take less.
 */
function largestSentence({ largest, current, spec }: AnalysedConfig): string {
  const { sequenceLength } = spec
  const tokens = sequenceLength === undefined ? undefined : `of ${lengthInWords(spec, sequenceLength)}`
  if (largest === undefined) return `Not even one sample ${tokens === undefined ? '' : `${tokens} `}fits.`
  const [size, written] = [formatCount(largest.microBatch), formatCount(current.microBatch)]
  const counted = tokens === undefined ? '' : `, with samples ${tokens}`
  if (current.gradientAccumulation === 1)
    return `The largest micro-batch that fits is ${size}, not ${written}${counted}.`
  return `Without gradient accumulation, the largest micro-batch that fits is ${size}${counted}.`
}

function change(from: number, to: number): string {
  return from === to ? formatCount(from) : `${formatCount(from)} → ${formatCount(to)}`
}
