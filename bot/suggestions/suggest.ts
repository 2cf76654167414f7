/**
 * Posts one review with a suggestion for each batch size that the diff shows. Suggestions made before are not repeated: what they say of
 * memory and savings is brought up to date, so that it is what the comment says.
 */
import { type ConfigResult, configKey, type Report, renderSuggestion, suggestionMarkerIn } from '../../engine/index.ts'
import type { ChangedFiles } from '../../github/changed-files.ts'
import { readPullRequest, type Work } from '../github.ts'
import type { JobOf } from '../queue/jobs.ts'
import { isShown } from './diff.ts'
import { eachProposal, type JudgedConfigs } from './proposals.ts'
import type { Suggestion } from './suggestion.ts'

/** More suggestions than this are left to the comment. */
const MAX_SUGGESTIONS = 20

/**
 * Suggestions for `report`, without accepted configs, on lines of the diff. GitHub shows no diff for pull requests with
 * more than 3,000 files and for files that are too large.
 */
export async function suggestionsFor(
  work: Pick<Work, 'engine'>,
  judged: JudgedConfigs & { readonly read: { readonly changed: Pick<ChangedFiles, 'patches'> } },
  report: Report,
): Promise<readonly Suggestion[]> {
  const { patches } = judged.read.changed
  const blocking = new Set(report.configs.filter(isToChange).map(configKey))
  const mayShow = (config: ConfigResult) => blocking.has(configKey(config)) && (patches.get(config.path) ?? '') !== ''
  const suggestions: Suggestion[] = []
  const asked = { ...judged, report: { ...judged.report, configs: judged.report.configs.filter(mayShow) } }
  for await (const { config, proposal } of eachProposal(work, asked)) {
    const suggestion = proposal.kind === 'change' ? renderSuggestion(proposal, config) : undefined
    if (suggestion === undefined || !isShown(suggestion.lines, patches.get(suggestion.path) ?? '')) continue
    suggestions.push(suggestion)
    if (suggestions.length === MAX_SUGGESTIONS) break
  }
  return suggestions
}

/** Whether to suggest a change: not for a config that was accepted as it is. */
function isToChange(config: ConfigResult): boolean {
  if (config.status === 'not-analysed' || config.verdict.state === 'fine') return false
  return config.verdict.reasons.every(({ spared }) => spared !== 'accepted' && spared !== 'snoozed')
}

/** Makes one write for all new suggestions, and one for each whose figures have changed. */
export async function suggest(work: Work, { number, headSha, suggestions }: JobOf<'suggest'>): Promise<void> {
  const pull = await readPullRequest(work, number)
  if (!pull.isOpen || pull.headSha !== headSha) return
  const known = await knownSuggestions(work, number)
  await review(
    work,
    { number, headSha },
    suggestions.filter(({ marker }) => !known.has(marker)),
  )
  for (const { marker, body } of suggestions) await bringUpToDate(work, known.get(marker), body)
}

async function review(
  work: Work,
  { number, headSha }: Pick<JobOf<'suggest'>, 'number' | 'headSha'>,
  comments: readonly Suggestion[],
): Promise<void> {
  if (comments.length === 0) return
  await work.github.rest.pulls.createReview({
    ...work.repository,
    pull_number: number,
    commit_id: headSha,
    event: 'COMMENT',
    body: 'The change that the MemoryMark comment explains.',
    comments: comments.map(({ path, lines: { first, last }, body }) => ({
      path,
      body,
      side: 'RIGHT',
      line: last,
      ...(first < last && { start_line: first, start_side: 'RIGHT' }),
    })),
  })
}

async function bringUpToDate({ github, repository }: Work, known: Known | undefined, body: string): Promise<void> {
  if (known === undefined || known.body === body) return
  await github.rest.pulls.updateReviewComment({ ...repository, comment_id: known.id, body })
}

interface Known {
  readonly id: number
  readonly body: string
}

/**
 * By marker. GitHub does not say which App wrote a comment on a line. Only bots' comments count, so that a person cannot
 * suppress suggestions by writing the marker.
 */
async function knownSuggestions({ github, repository }: Work, number: number): Promise<ReadonlyMap<string, Known>> {
  const comments = await github.paginate(github.rest.pulls.listReviewComments, {
    ...repository,
    pull_number: number,
    per_page: 100,
  })
  const known = new Map<string, Known>()
  for (const { user, id, body } of comments) {
    const marker = user.type === 'Bot' ? suggestionMarkerIn(body) : undefined
    if (marker !== undefined) known.set(marker, { id, body })
  }
  return known
}
