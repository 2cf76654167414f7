/** Leave to run a repository's own step, against checkouts that git made. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trustedEntrypoint } from '../../action/entrypoint.ts'
import type { Subject } from '../../action/event.ts'
import type { RunContext } from '../../action/run-context.ts'

let workspace: string
let head: string

function git(...args: string[]): string {
  const author = ['-c', 'user.name=mona', '-c', 'user.email=mona@example.com']
  return execFileSync('git', ['-C', workspace, ...author, ...args], { encoding: 'utf8' }).trim()
}

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), 'memorymark-checkout-')))
  await mkdir(path.join(workspace, 'train'))
  await writeFile(path.join(workspace, 'train/step.py'), 'def make(spec, device): ...\n')
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('commit', '--quiet', '--message=A step')
  head = git('rev-parse', 'HEAD')
})

afterEach(() => rm(workspace, { recursive: true }))

const defaultBranch = { repository: { default_branch: 'main' } }

function trusted(run: Partial<RunContext>, changed: Partial<Subject> = {}, target = 'train/step.py:make') {
  const context: RunContext = {
    eventName: 'pull_request',
    payload: {},
    sha: 'f'.repeat(40),
    ref: 'refs/pull/7/merge',
    repository: { owner: 'acme', repo: 'models' },
    workspace,
    playground: undefined,
    ...run,
  }
  const pull = {
    kind: 'pull-request',
    number: 7,
    changedFiles: 1,
    baseSha: head,
    headSha: 'a'.repeat(40),
    isFork: false,
  }
  return trustedEntrypoint(context, { ...pull, ...changed } as Subject, target)
}

describe('the step that is run', () => {
  it("is that of a pull request's base, and is known by its commit", async () => {
    expect(await trusted({})).toEqual({
      name: 'train/step.py:make',
      target: `${workspace}/train/step.py:make`,
      commitSha: head,
    })
  })

  it.each(['schedule', 'workflow_dispatch', 'push'])('is that of the default branch on %s', async eventName => {
    const run = { eventName, payload: defaultBranch, sha: head, ref: 'refs/heads/main' }
    const subject = eventName === 'workflow_dispatch' ? {} : { kind: 'tree' as const }
    expect(await trusted(run, subject)).toMatchObject({ commitSha: head })
  })

  it('may stand beside files that are in no commit, such as an earlier report', async () => {
    await writeFile(path.join(workspace, 'memorymark-report.json'), '{}')
    expect(await trusted({})).toMatchObject({ commitSha: head })
  })
})

describe('no step is run', () => {
  const refusal = (why: string) => `input entrypoint: It is not run: ${why}`

  it("of a fork's pull request, however it is started", async () => {
    const dispatch = { eventName: 'workflow_dispatch', payload: defaultBranch, sha: head, ref: 'refs/heads/main' }
    for (const run of [{}, dispatch]) {
      await expect(trusted(run, { isFork: true })).rejects.toThrow(refusal('pull requests from forks may not use it.'))
    }
  })

  it.each([
    ['a push to another branch', { eventName: 'push', payload: defaultBranch, ref: 'refs/heads/change' }],
    [
      'a dispatch on another branch',
      { eventName: 'workflow_dispatch', payload: defaultBranch, ref: 'refs/heads/change' },
    ],
    [
      'a merge group, which holds what is not merged yet',
      { eventName: 'merge_group', payload: defaultBranch, ref: 'refs/heads/main' },
    ],
    ['an event that does not tell the default branch', { eventName: 'push', payload: {}, ref: 'refs/heads/main' }],
  ])('of %s', async (_, run) => {
    await expect(trusted({ ...run, sha: head }, { kind: 'tree' })).rejects.toThrow(
      refusal('the run is not on the default branch.'),
    )
  })

  it("where the workspace holds the pull request's own commit", async () => {
    git('commit', '--quiet', '--allow-empty', '--message=What the pull request adds')
    await expect(trusted({})).rejects.toThrow(
      `${refusal(`the workspace has ${git('rev-parse', 'HEAD').slice(0, 7)} checked out, not ${head.slice(0, 7)}`)}. Check out ${head} before this step.`,
    )
  })

  it('where a file of the checkout was changed after it', async () => {
    await writeFile(path.join(workspace, 'train/step.py'), 'import os\n')
    await expect(trusted({})).rejects.toThrow(refusal('files were changed after the checkout.'))
  })

  it('where nothing is checked out', async () => {
    await rm(path.join(workspace, '.git'), { recursive: true })
    await expect(trusted({})).rejects.toThrow(refusal('the workspace has no checkout that git can read.'))
  })

  it('from outside the checkout, by its path or by a link', async () => {
    await symlink('/etc/hostname', path.join(workspace, 'link.py'))
    for (const file of ['../step.py', '/etc/hostname', 'link.py', 'train/absent.py']) {
      await expect(trusted({}, {}, `${file}:make`)).rejects.toThrow(refusal(`${file} is not in the checkout.`))
    }
  })
})
