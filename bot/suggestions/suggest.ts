/** One review with a suggestion on each batch size that the diff shows. What was suggested before is not said again. */
import { type RenderedSuggestion, renderSuggestion, suggestionMarkerIn } from '../../engine/index.ts'
import type { PullRequest, Work } from '../github.ts'
import { isShown } from './diff.ts'
import { type JudgedConfigs, proposalsFor } from './proposals.ts'

/** A review is read by people; the comment speaks of the rest. */
const MAX_SUGGESTIONS = 20

/** At most one write, and none where there is nothing new to suggest. */
export async function suggest(work: Work, pull: PullRequest, judged: JudgedConfigs): Promise<void> {
  const suggestions = await suggestionsFor(work, pull, judged)
  if (suggestions.length === 0) return
  const known = await knownMarkers(work, pull.number)
  const comments = suggestions.filter(({ marker }) => !known.has(marker)).slice(0, MAX_SUGGESTIONS)
  if (comments.length === 0) return
  await work.github.rest.pulls.createReview({
    ...work.repository,
    pull_number: pull.number,
    commit_id: pull.headSha,
    event: 'COMMENT',
    comments: comments.map(({ path, lines: { first, last }, body }) => ({
      path,
      body,
      side: 'RIGHT',
      line: last,
      ...(first < last && { start_line: first, start_side: 'RIGHT' }),
    })),
  })
}

async function suggestionsFor(work: Work, pull: PullRequest, judged: JudgedConfigs): Promise<RenderedSuggestion[]> {
  const { changes } = await proposalsFor(judged)
  const rendered = changes.flatMap(({ config, change }) => renderSuggestion(change, config) ?? [])
  if (rendered.length === 0) return []
  const patches = await patchesOf(work, pull.number)
  return rendered.filter(({ path, lines }) => isShown(lines, patches.get(path) ?? ''))
}

/** By path; GitHub leaves out those of files that are too large to show. */
async function patchesOf({ github, repository }: Work, number: number): Promise<ReadonlyMap<string, string>> {
  const files = await github.paginate(github.rest.pulls.listFiles, {
    ...repository,
    pull_number: number,
    per_page: 100,
  })
  return new Map(files.flatMap(({ filename, patch }) => (patch === undefined ? [] : [[filename, patch] as const])))
}

/**
 * GitHub does not say which App wrote a comment on a line. Only bots count, so that nobody can keep us quiet by writing the
 * marker; another bot that did would be read by people all the same.
 */
async function knownMarkers({ github, repository }: Work, number: number): Promise<ReadonlySet<string>> {
  const comments = await github.paginate(github.rest.pulls.listReviewComments, {
    ...repository,
    pull_number: number,
    per_page: 100,
  })
  return new Set(comments.flatMap(({ user, body }) => (user.type === 'Bot' ? (suggestionMarkerIn(body) ?? []) : [])))
}
