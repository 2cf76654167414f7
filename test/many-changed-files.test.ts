/** Pull requests of as many files as GitHub lists, of more, and where it cuts the tree: what they cost, and what is told of it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { trainingConfig } from './bot/configs.ts'
import { BothBesideGitHub } from './both-beside-github.ts'
import type { FileChanges } from './github/index.ts'

const PATIENCE_MILLIS = 600_000

/** What GitHub lists of a pull request. */
const MAX_LISTED = 3_000
const MAX_TREE_ENTRIES = 3_100

let beside: BothBesideGitHub

beforeAll(async () => {
  beside = await BothBesideGitHub.start({ maxTreeEntries: MAX_TREE_ENTRIES })
}, PATIENCE_MILLIS)
afterAll(() => beside[Symbol.asyncDispose]())

const base = {
  '.github/memorymark.yml': 'gpu: a10\n',
  'ds.json': JSON.stringify({ zero_optimization: { stage: 2 } }),
  'z/names.yaml': `${trainingConfig(2)}deepspeed: ds.json\n`,
}

/** Of which every thirtieth is a config that blocks: what many configs cost is api-calls.test.ts. */
function changes(files: number): FileChanges {
  return Object.fromEntries(
    Array.from({ length: files - 1 }, (_, index): [string, string] =>
      index % 30 === 0
        ? [`configs/${index}.yaml`, `${trainingConfig(2)}seed: ${index}\n`]
        : [`notes/${index}.txt`, 'Read by nobody'],
    ).concat([['ds.json', JSON.stringify({ zero_optimization: { stage: 1 } })]]),
  )
}

/** Others that nothing touches. */
function untouched(files: number): FileChanges {
  return Object.fromEntries(Array.from({ length: files }, (_, index) => [`more/${index}.txt`, 'Read by nobody']))
}

const unlisted = (files: number) =>
  `GitHub lists only ${MAX_LISTED} of the pull request's ${files} changed files, so its tree was compared with its base's tree instead.`

test.each([
  { files: MAX_LISTED, others: 0, told: [] },
  { files: MAX_LISTED + 1, others: 0, told: [unlisted(MAX_LISTED + 1)] },
  {
    files: MAX_LISTED,
    others: 200,
    told: [/GitHub lists only the first \d+ files of commit [0-9a-f\u2060]{7,9}; configs beyond them/],
  },
  {
    files: MAX_LISTED + 1,
    others: 200,
    told: [
      unlisted(MAX_LISTED + 1),
      /GitHub lists only the first \d+ files of commit [0-9a-f\u2060]{7,9}; configs beyond them/,
    ],
  },
])(
  '$files files beside $others others get one check and one comment, for at most 20 calls and one for 25 of them, and the reader is told what was cut',
  async ({ files, others, told }) => {
    const budget = 20 + files / 25
    const tree = { ...base, ...untouched(others) }
    const repository = await beside.github.createRepository(`many-${files}-${others}`, tree)
    const opened = await beside.callsOf('memorymark', async () => {
      const pull = await repository.openPullRequest({ files: changes(files) })
      await beside.bot.idle()
      return pull
    })
    const pull = opened.value
    expect(opened.calls.length).toBeLessThanOrEqual(budget)
    const ran = await beside.callsOf('github-actions', async () =>
      beside.action.run({ github: beside.github, repository, token: await beside.github.actionsToken() }),
    )
    expect(ran.calls.length).toBeLessThanOrEqual(budget)
    expect(ran.value.outputs.verdict).toBe('blocked')

    await repository.pushTo(pull, { 'configs/0.yaml': `${trainingConfig(2)}seed: 1000000\n` })
    await beside.bot.idle()
    const checks = await repository.checkRuns(pull.headSha)
    expect(checks.map(({ conclusion }) => conclusion)).toEqual(['failure'])
    const comments = await repository.comments(pull)
    expect(comments).toHaveLength(1)
    for (const sentence of told)
      for (const text of [ran.value.summary, checks[0]?.output.summary, comments[0]?.body])
        expect(text).toMatch(sentence)
    if (told.length === 0) expect(comments[0]?.body).not.toContain('GitHub lists only')
  },
  PATIENCE_MILLIS,
)
