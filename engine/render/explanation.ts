/** Explains on a pull request how configs were read and what their figures are based on. */
import type { Decision } from '../config/fields/fields.ts'
import type { Explanation } from '../config/read.ts'
import { configName, type TrainingPlace } from '../config/training-place.ts'
import type { AnalysedConfig } from '../report/schema.ts'
import { priceLine } from './config-details.ts'
import { settingName, settingOrigin, settingValue } from './decision.ts'
import { fitSections, type Section } from './fit.ts'
import { escapeText, inlinePath, table } from './markdown.ts'
import { separator } from './sections.ts'
import { renderProblem } from './unanalysed-section.ts'

export interface ExplainedConfig {
  readonly path: string
  /** The training within a file that starts several. */
  readonly training?: TrainingPlace | undefined
  readonly explanation: Explanation
  /** The result that the check reported; undefined if it has no figures. */
  readonly config: AnalysedConfig | undefined
}

/** Markdown within `limitBytes`; configs lose their tables before any is left out. */
export function renderExplanations(configs: readonly ExplainedConfig[], limitBytes: number): string {
  const sections = configs.map((config, index): Section => ({ forms: formsOf(config), interest: -index }))
  const texts = fitSections(sections, limitBytes - separator.length * sections.length)
  return texts.filter(text => text !== undefined).join(separator)
}

function formsOf({ path, training, explanation, config }: ExplainedConfig): Section['forms'] {
  const heading = `#### ${inlinePath(configName({ path, training }))}`
  const standing = config === undefined ? [] : [standsOn(config)]
  switch (explanation.kind) {
    case 'not-recognised':
      return [[heading, ...outcome(path, explanation.reading)].join(separator)]
    case 'recognised': {
      const recognised = `Read as ${escapeText(explanation.dialect, 60)}, recognised by ${escapeText(explanation.why, 200)}.`
      const short = [heading, recognised, ...outcome(path, explanation.reading), ...standing].join(separator)
      const settings = [decisionTable(explanation.decisions), ...assumed(explanation.assumptions)]
      return [[short, ...settings].join(separator), short]
    }
  }
}

function decisionTable(decisions: readonly Decision[]): string {
  const rows = decisions.map(decision => [
    escapeText(settingName(decision)),
    escapeText(settingValue(decision), 200),
    escapeText(settingOrigin(decision), 300),
  ])
  return table([['setting', 'value', 'from'], ...rows], ['l', 'l', 'l'])
}

function assumed(assumptions: readonly string[]): string[] {
  if (assumptions.length === 0) return []
  return [`Assumed:\n\n${assumptions.map(sentence => `- ${escapeText(sentence)}`).join('\n')}`]
}

function outcome(path: string, reading: Explanation['reading']): string[] {
  switch (reading.kind) {
    case 'training-config':
      return []
    case 'not-a-training-config':
      return [`Not a training config. ${escapeText(reading.why)}`]
    case 'several-trainings':
      return [`It starts ${reading.trainings.length} trainings.`]
    case 'unreadable':
      return [reading.problems.map(problem => `- ${renderProblem(path, problem)}`).join('\n')]
  }
}

/** For each kind of figure, what it is based on. */
function standsOn(config: AnalysedConfig): string {
  return [memoryStandsOn(config), throughputStandsOn(config), `Costs: ${priceLine(config)}`]
    .map(line => `- ${line}`)
    .join('\n')
}

function memoryStandsOn({ provenance, errorBandPercent, trials, gpu }: AnalysedConfig): string {
  const band = errorBandPercent === 0 ? '' : ` Error band: ±${errorBandPercent} %.`
  switch (provenance) {
    case 'measured': {
      const ran = trials.filter(trial => trial.provenance === 'measured').length
      return `Memory was measured on the ${escapeText(gpu.name, 60)}, in ${ran} trial${ran === 1 ? '' : 's'}.${band}`
    }
    case 'traced':
      return `Memory was traced: PyTorch's own graph of the step on its meta device, without a GPU.${band}`
    case 'estimated':
      return `Memory is estimated from the config alone, by a model of PyTorch's autograd and allocator.${band}`
  }
}

function throughputStandsOn({ throughputProvenance }: AnalysedConfig): string {
  switch (throughputProvenance) {
    case 'measured':
      return 'Throughput was timed in those trials.'
    case 'modelled':
      return "Throughput is modelled from the GPU's data sheet; no run has timed it."
    case 'unknown':
      return "Throughput is unknown: the GPU's description lacks its bandwidth or its FLOP/s."
  }
}
