/** One analysed config in Markdown: a paragraph where it matters, a line where it does not. */
import type { AnalysedConfig } from '../report/schema.ts'
import { advice, fineRemark } from './advice.ts'
import { formatCount, formatShare, memoryProvenance, ofUsable, throughputProvenance } from './figures.ts'
import { escapeText, inlinePath } from './markdown.ts'
import { configState, findingOf, predicate, stateMark } from './verdict.ts'

/** The paragraph alone: what it uses, what to change, what that brings, how it is known. */
export function paragraph(config: AnalysedConfig): string {
  const mark = stateMark(configState(config))
  const advised = advice(config, text => `**${text}**`)
  // Time and money first: idle memory that would buy nothing is no waste.
  const finding = findingOf(config)
  const sentences =
    config.current.fits && finding !== 'may-not-fit'
      ? [`${predicate(finding, 1)}.`, ...advised, `It ${situation(config)}`, knownHow(config)]
      : [situation(config), ...advised, knownHow(config)]
  return `${mark} **${inlinePath(config.path)}** ${sentences.join(' ')}`
}

export function fineLine(config: AnalysedConfig): string {
  const { current, gpu } = config
  const use = `${ofUsable(current.peakBytes, gpu.usableBytes)} (${formatShare(config, current)}) of the ${gpuName(config)}`
  return `🟩 ${inlinePath(config.path)}: ${use} at micro-batch ${formatCount(current.microBatch)}, ${fineRemark(config)}. ${knownHow(config)}`
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
