/** The Action and the bot on the same pull request: the same files, and the same verdict on each. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { analyze, type Report, report, verdictState } from '../engine/index.ts'
import { BundledAction } from './action/run-action.ts'
import { startBotBesideGitHub } from './bot/bot-beside-github.ts'
import { trainingConfig } from './bot/configs.ts'
import { type FileChanges, type Repository, startGitHub } from './github/index.ts'
import { onA10 } from './on-a10.ts'
import { qwenClm } from './qwen-clm.ts'
import { sharedAction } from './shared-builds.ts'

const PATIENCE_MILLIS = 180_000

let action: BundledAction

beforeAll(async () => {
  action = await BundledAction.in(await sharedAction())
}, PATIENCE_MILLIS)
afterAll(() => action[Symbol.asyncDispose]())

interface Judged {
  readonly bot: Report
  readonly action: Report
  readonly warnings: readonly string[]
  readonly summary: string
}

/** What both say of a pull request that changes `files`, in a repository that holds `base`. */
async function judged(base: FileChanges, files: FileChanges, { maxTreeEntries = 100_000 } = {}): Promise<Judged> {
  const reports: Report[] = []
  await using beside = await startBotBesideGitHub({
    github: await startGitHub({ maxTreeEntries }),
    analyze: async (texts, circumstances) => {
      const made = await analyze(texts, { ...circumstances, now: new Date() })
      reports.push(made)
      return made
    },
  })
  const { github, bot } = beside
  const repository: Repository = await github.createRepository('models', { 'README.md': 'Models', ...onA10 })
  await repository.pushToBranch('main', base)
  const pull = await repository.openPullRequest({ files })
  await bot.idle()
  const [check] = await repository.checkRuns(pull.headSha)
  const run = await action.run({ github, repository, token: await github.actionsToken() })
  const [byBot] = reports
  if (byBot === undefined) throw new Error(`The bot judged nothing: ${check?.output.summary}\n${beside.log()}`)
  return {
    bot: byBot,
    action: report.parse(run.report),
    warnings: Array.from(run.log.matchAll(/^::warning::(.*)$/gm), ([, message = '']) => message),
    summary: check?.output.summary ?? '',
  }
}

/** By path; with the verdicts' reasons, which name what stood there before. */
function verdicts({ configs }: Report) {
  return configs.map(config => [config.path, config.status === 'analysed' ? config.verdict : config.problems])
}

function expectSame({ bot, action }: Judged, paths: readonly string[]) {
  expect(bot.configs.map(({ path }) => path).sort()).toEqual([...paths].sort())
  expect(verdicts(action)).toEqual(verdicts(bot))
  expect(verdictState(action)).toBe(verdictState(bot))
}

/** Beside the config stands whatever keeps GitHub from taking one file for another. */
const config = (microBatch: number, note = '') => `${trainingConfig(microBatch)}# ${note}\n`

const kinds = {
  base: {
    'configs/kept.yaml': config(1, 'kept'),
    'configs/better.yaml': config(1, 'better'),
    'configs/moved.yaml': config(1, 'moved'),
    'configs/gone.yaml': config(1, 'gone'),
    'configs/run.yaml': config(1, 'run'),
    'configs/folder.yaml': config(1, 'folder'),
    'configs/target.yaml': config(1, 'target'),
    'configs/ds.yaml': `${config(1, 'ds')}deepspeed: ds.json\n`,
    'ds.json': JSON.stringify({ zero_optimization: { stage: 2 } }),
    module: { kind: 'submodule', sha: 'd'.repeat(40) },
  },
  files: {
    'configs/new.yaml': config(1, 'new'),
    'configs/better.yaml': config(2, 'better'),
    'configs/moved.yaml': null,
    'other/moved.yaml': config(1, 'moved'),
    'configs/gone.yaml': null,
    'configs/run.yaml': { kind: 'executable', text: config(1, 'run') },
    'configs/folder.yaml': null,
    'configs/folder.yaml/inside.yaml': config(1, 'inside'),
    'configs/link.yaml': { kind: 'link', text: 'target.yaml' },
    'configs/module.yaml': { kind: 'submodule', sha: 'c'.repeat(40) },
    module: { kind: 'submodule', sha: 'e'.repeat(40) },
    'ds.json': JSON.stringify({ zero_optimization: { stage: 3 } }),
  },
} satisfies Readonly<Record<string, FileChanges>>

const touched = [
  'configs/better.yaml',
  'configs/ds.yaml',
  'configs/folder.yaml/inside.yaml',
  'configs/link.yaml',
  'configs/new.yaml',
  'configs/run.yaml',
  'other/moved.yaml',
]

test(
  'with files of every kind: renamed, deleted, made executable, linked, submodules, and a file that became a folder',
  async () => {
    const both = await judged(kinds.base, kinds.files)
    expectSame(both, touched)
    const states = new Map(both.bot.configs.map(one => [one.path, one.status === 'analysed' && one.verdict.state]))
    // Renamed or made executable, they are no worse than they were; the new one is.
    expect(['other/moved.yaml', 'configs/run.yaml', 'configs/new.yaml'].map(path => states.get(path))).toEqual([
      'warning',
      'warning',
      'blocked',
    ])
  },
  PATIENCE_MILLIS,
)

test(
  'where GitHub cuts the trees: what it lists of the pull request is read all the same',
  async () => {
    const both = await judged(kinds.base, kinds.files, { maxTreeEntries: 2 })
    // Who names ds.json is looked for in the part of the tree that there is.
    expectSame(
      both,
      touched.filter(path => path !== 'configs/ds.yaml'),
    )
  },
  PATIENCE_MILLIS,
)

test(
  'with more than 3,000 files, of which GitHub lists no more: by comparing trees, renames included',
  async () => {
    const texts = Array.from({ length: 3_001 }, (_, index) => [`texts/${index}.txt`, ''] as const)
    const both = await judged(kinds.base, { ...kinds.files, ...Object.fromEntries(texts) })
    expectSame(both, touched)
    const sentence = /GitHub lists only 3000 of the pull request's 30\d\d changed files/
    expect(both.warnings).toContainEqual(expect.stringMatching(sentence))
    expect(both.summary).toMatch(sentence)
  },
  PATIENCE_MILLIS,
)

test(
  'a change of the versions that the repository pins, which both hold against the configs below',
  async () => {
    const base = {
      'requirements.txt': 'numpy==2.1\ntransformers==4.52.4\n',
      'train.yaml': trainingConfig(4),
      'other/pyproject.toml': '[project]\ndependencies = ["transformers==5.1.0"]\n',
      'other/train.yaml': trainingConfig(4),
    }
    const both = await judged(base, { 'requirements.txt': 'numpy==2.2\ntransformers==4.50.3\n' })
    expectSame(both, ['train.yaml', 'other/train.yaml'])
    const stated = ({ configs }: Report) =>
      Object.fromEntries(
        configs.map(config => [config.path, config.status === 'analysed' ? config.assumptions : config.problems]),
      )
    expect(stated(both.bot)).toEqual(stated(both.action))
    expect(stated(both.bot)['train.yaml']).toContain('transformers 4.50.3 (requirements.txt, line 2).')
    expect(stated(both.bot)['other/train.yaml']).toContain('transformers 5.1.0 (other/pyproject.toml, line 2).')
    const upgrades = ({ configs }: Report) =>
      configs.map(config => [config.path, config.status === 'analysed' && config.upgrade?.libraries])
    expect(upgrades(both.bot)).toEqual(upgrades(both.action))
    expect(upgrades(both.bot)).toContainEqual([
      'train.yaml',
      [{ library: 'transformers', before: '4.52.4', after: '4.50.3', at: { path: 'requirements.txt', line: 2 } }],
    ])
    expect(both.summary).toContain(
      'Peak of one config unchanged by transformers 4.52.4 → 4.50.3 (estimated with both).',
    )
  },
  PATIENCE_MILLIS,
)

test(
  'a lock file that is deleted for another, with a config that loses the copy of its logits',
  async () => {
    const base = { 'requirements.txt': 'transformers==4.48.1\n', 'configs/clm.yaml': qwenClm }
    const both = await judged(base, {
      'requirements.txt': null,
      'uv.lock': '[[package]]\nname = "transformers"\nversion = "5.18.0"\n',
    })
    expectSame(both, ['configs/clm.yaml'])
    const upgrades = [both.bot, both.action].map(
      ({ configs: [config] }) => config?.status === 'analysed' && config.upgrade,
    )
    expect(upgrades[0]).toMatchObject({
      libraries: [{ before: '4.48.1', after: '5.18.0', at: { path: 'uv.lock', line: 3 } }],
      causes: [{ release: '4.49', why: ['the loss no longer copies the float32 logits'] }],
    })
    expect(upgrades[1]).toEqual(upgrades[0])
    expect(both.summary).toContain('with transformers 4.48.1 → 5.18.0 (`uv.lock`, line 3)')
  },
  PATIENCE_MILLIS,
)

test(
  'a change of another library, which concerns no config',
  async () => {
    const base = { 'requirements.txt': 'numpy==2.1\ntransformers==4.57.1\n', 'train.yaml': trainingConfig(4) }
    const both = await judged(base, { 'requirements.txt': 'numpy==2.2\ntransformers==4.57.1\n' })
    expectSame(both, [])
  },
  PATIENCE_MILLIS,
)
