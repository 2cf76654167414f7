/** The outputs of the step. They contain no text from the pull request, so scripts can use them safely. */
import { type AnalysedConfig, idlePercent, type Report, verdictState } from '../engine/index.ts'
import type { CommentOutcome } from './comment.ts'

export interface Published {
  readonly report: Report
  readonly reportPath: string
  readonly comment: CommentOutcome
}

/** Values by the output names of action.yml. */
export function outputsOf({ report, reportPath, comment }: Published): Readonly<Record<string, string>> {
  const worst = mostWasteful(report)
  return {
    verdict: verdictState(report),
    configs: String(report.configs.length),
    'waste-percent': worst === undefined ? '' : String(Math.round(wastePercent(worst))),
    'recommended-batch': worst?.recommended === undefined ? '' : String(worst.recommended.microBatch),
    'report-path': reportPath,
    'comment-url': 'url' in comment ? comment.url : '',
  }
}

/** The outputs if there was nothing to check. */
export const nothingPublished: Readonly<Record<string, string>> = { verdict: 'nothing-to-measure', configs: '0' }

function mostWasteful(report: Report): AnalysedConfig | undefined {
  const analysed = report.configs.filter(config => config.status === 'analysed')
  return analysed.toSorted((a, b) => wastePercent(b) - wastePercent(a))[0]
}

function wastePercent({ gpu, current }: AnalysedConfig): number {
  return idlePercent(gpu, current)
}
