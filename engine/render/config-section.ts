/** One analysed config in Markdown: a paragraph if it needs attention, a line if it is fine. */
import { configName } from '../config/training-place.ts'
import type { AnalysedConfig } from '../report/schema.ts'
import { advice, fineRemark, firstAdvice, isWorthFollowing, laterAdvice } from './advice.ts'
import { formatCount, formatShare, memoryProvenance, ofUsable, throughputProvenance } from './figures.ts'
import { escapeText, inlinePath } from './markdown.ts'
import { configState, findingOf, predicate, stateMark } from './verdict.ts'

/** What the config uses, what to change, what that brings, and how the figures are known. */
export function paragraph(config: AnalysedConfig): string {
  const uses = isRunning(config) ? [`It ${situation(config)}`] : []
  return section(config, [opening(config), ...advice(config, strong), ...uses, knownHow(config)])
}

/** The shorter form of `paragraph`: only what is needed to decide. */
export function decision(config: AnalysedConfig): string {
  return section(config, [opening(config), ...firstAdvice(config, strong), knownHow(config)])
}

/** What `decision` leaves out. */
export function afterDecision(config: AnalysedConfig): string {
  return section(config, [situation(config), ...laterAdvice(config)])
}

function section(config: AnalysedConfig, sentences: readonly string[]): string {
  return `${stateMark(configState(config))} **${inlinePath(configName(config))}** ${sentences.join(' ')}`
}

/** Speed and cost come first: idle memory that no larger batch could use is no waste. */
function opening(config: AnalysedConfig): string {
  return isRunning(config) ? `${predicate(findingOf(config), 1)}.` : situation(config)
}

function isRunning(config: AnalysedConfig): boolean {
  return config.current.fits && findingOf(config) !== 'may-not-fit'
}

function strong(text: string): string {
  return `**${text}**`
}

export function fineLine(config: AnalysedConfig): string {
  const { current, gpu } = config
  const use = `${ofUsable(current.peakBytes, gpu.usableBytes)} (${formatShare(config, current)}) of the ${gpuName(config)}`
  const within = isWorthFollowing(config) ? ', within policy' : ''
  return `🟩 ${inlinePath(configName(config))}: ${use} at micro-batch ${formatCount(current.microBatch)}, ${fineRemark(config)}${within}. ${knownHow(config)}`
}

function situation(config: AnalysedConfig): string {
  const { current, gpu } = config
  const used = ofUsable(current.peakBytes, gpu.usableBytes)
  const share = formatShare(config, current)
  if (findingOf(config) === 'may-not-fit') {
    return `may run out of memory on the ${gpuName(config)}: needs **${used} (${share})**.`
  }
  if (!current.fits) return `runs out of memory on the ${gpuName(config)}: needs **${used} (${share})**.`
  return `uses **${used} (${share})** of the ${gpuName(config)}.`
}

function knownHow(config: AnalysedConfig): string {
  return `*Memory ${memoryProvenance(config)}; throughput ${throughputProvenance(config)}.*`
}

function gpuName(config: AnalysedConfig): string {
  return escapeText(config.gpu.name, 60)
}
