/** The commands that suit a report, for the last line of comment and check. */
import { batchChange, inlineCode, numberedLever, type Report, verdictState } from '../../engine/index.ts'

/** Clauses of Markdown; empty if there is nothing to do. */
export function hintsFor(report: Report): string[] {
  const state = verdictState(report)
  if (state === 'nothing-to-measure' || state === 'fine') return []
  return [
    ...(hasChange(report) ? [`${inlineCode('/memorymark fix')} opens a pull request with the change`] : []),
    ...(numberedLever(report, 1) ? [`${inlineCode('/memorymark fix <n>')} with the n-th way to free memory`] : []),
    ...(state === 'blocked' ? [`${inlineCode('/memorymark accept <reason>')} lets it pass`] : []),
  ]
}

function hasChange({ configs }: Report): boolean {
  return configs.some(
    config => config.status === 'analysed' && config.verdict.state !== 'fine' && batchChange(config).kind === 'change',
  )
}
