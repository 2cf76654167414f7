/** `/memorymark fix`: opens a pull request onto this one's branch with the recommended batch sizes. */
import { createHash } from 'node:crypto'
import { type ChangedText, inlineCode, inlinePath, renderChangedLines } from '../../engine/index.ts'
import { readTree } from '../../github/tree.ts'
import type { PullRequest, Work } from '../github.ts'
import { statusOf } from '../installation.ts'
import { changedFiles } from '../suggestions/changed-files.ts'
import { type JudgedConfigs, proposalsFor, sayByHand } from '../suggestions/proposals.ts'
import { type Answer, declined, told } from './answer.ts'
import type { Asked } from './asked.ts'

export async function fix({ work, pull, by }: Asked, judged: JudgedConfigs): Promise<Answer> {
  const { changes, byHand } = await proposalsFor(work, judged)
  const notes = byHand.map(({ config, why }) => sayByHand(config, why))
  if (changes.length === 0) {
    return declined(
      [...notes, ...(notes.length === 0 ? ['No config here needs another batch size.'] : [])].join('\n\n'),
    )
  }
  const files = changedFiles(changes.map(({ change }) => change))
  if (pull.isFork) return told([pasteInstead(files), ...notes].join('\n\n'))
  const number = await openFix({ work, pull, by }, files, 'Use the recommended batch sizes')
  const opened = `#${number} changes ${files.map(({ path }) => inlinePath(path)).join(', ')} to the recommended batch sizes. Merge it into ${inlineCode(pull.headRef, 200)} to apply them.`
  return told([opened, ...notes].join('\n\n'))
}

/** The lines to paste by hand for a fork, to which the App cannot push. */
function pasteInstead(files: readonly ChangedText[]): string {
  const pieces = files.map(change => {
    const lines = renderChangedLines(change) ?? 'Its lines cannot be shown here.'
    return `${inlinePath(change.path)}. ${lines}`
  })
  return ['This pull request comes from a fork, to which the bot cannot push. Paste these lines:', ...pieces].join(
    '\n\n',
  )
}

/** The pull request's number. If one with the same changes exists, it is reused. */
export async function openFix(
  { work, pull, by }: Pick<Asked, 'work' | 'pull' | 'by'>,
  files: readonly ChangedText[],
  title: string,
): Promise<number> {
  const { github, repository } = work
  const branch = branchFor(pull.number, files)
  const { data: open } = await github.rest.pulls.list({
    ...repository,
    head: `${repository.owner}:${branch}`,
    base: pull.headRef,
    state: 'open',
  })
  const existing = open.find(({ head }) => head.ref === branch)
  if (existing !== undefined) return existing.number
  await makeBranch(work, branch, await commitOf(work, pull, files, title))
  const { data: created } = await github.rest.pulls.create({
    ...repository,
    head: branch,
    base: pull.headRef,
    title,
    body: `Requested by ${inlineCode(by)} on #${pull.number}. The MemoryMark comment there says what this changes and what the figures are based on.`,
  })
  return created.number
}

function branchFor(number: number, files: readonly ChangedText[]): string {
  const wanted = JSON.stringify(files.map(({ path, after }) => [path, after]))
  return `memorymark/fix-${number}-${createHash('sha256').update(wanted).digest('hex').slice(0, 8)}`
}

/** SHA of a new commit on top of the head. */
async function commitOf(
  { github, repository }: Work,
  { headSha }: PullRequest,
  files: readonly ChangedText[],
  message: string,
): Promise<string> {
  const { data: head } = await github.rest.git.getCommit({ ...repository, commit_sha: headSha })
  const { entries } = await readTree(github, repository, head.tree.sha)
  const { data: tree } = await github.rest.git.createTree({
    ...repository,
    base_tree: head.tree.sha,
    tree: files.map(({ path, after }) => ({
      path,
      // The file keeps its mode.
      mode: entries.get(path)?.mode === '100755' ? '100755' : '100644',
      type: 'blob',
      content: after,
    })),
  })
  const { data: commit } = await github.rest.git.createCommit({
    ...repository,
    message,
    tree: tree.sha,
    parents: [headSha],
  })
  return commit.sha
}

/** Only the bot writes to branches of this name, so one left by an earlier pull request is reused. */
async function makeBranch({ github, repository }: Work, branch: string, sha: string): Promise<void> {
  try {
    await github.rest.git.createRef({ ...repository, ref: `refs/heads/${branch}`, sha })
  } catch (error) {
    if (statusOf(error) !== 422) throw error
    await github.rest.git.updateRef({ ...repository, ref: `heads/${branch}`, sha, force: true })
  }
}
