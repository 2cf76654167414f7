/** How often GitHub is asked for a pull request, by the bot and by the Action, and for a command. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { trainingConfig } from './bot/configs.ts'
import { BothBesideGitHub } from './both-beside-github.ts'
import { contributor, type FileChanges, type LoggedRequest, type Repository } from './github/index.ts'

const PATIENCE_MILLIS = 600_000

let beside: BothBesideGitHub

beforeAll(async () => {
  beside = await BothBesideGitHub.start()
}, PATIENCE_MILLIS)
afterAll(() => beside[Symbol.asyncDispose]())

/** What the issue asks for, whole calls of it. */
function budget(configs: number): number {
  return Math.floor(20 + configs / 25)
}

/** Every config blocks because it got worse, and names a file of DeepSpeed's of its own and a model of the repository, which pins versions, others than before. */
function world(configs: number): { readonly base: Record<string, string>; readonly head: Record<string, string> } {
  const settings = 'gpu: a10\noverrides: [{ path: "configs/*", gpus: 8 }]\n'
  const base: Record<string, string> = {
    'models/tiny/config.json': model,
    '.github/memorymark.yml': settings,
    ...pinned,
  }
  const head: Record<string, string> = { 'requirements.txt': 'transformers==4.46.3\n' }
  for (let index = 0; index < configs; index += 1) {
    const naming = `deepspeed: ds/${index}.json\n`
    base[`ds/${index}.json`] = JSON.stringify({ zero_optimization: { stage: 2 }, steps_per_print: index })
    base[`configs/${index}.yaml`] = trainingConfig(2, 'models/tiny') + naming
    head[`configs/${index}.yaml`] = trainingConfig(1, 'models/tiny') + naming
  }
  return { base, head }
}

const pinned = {
  'requirements.txt': 'transformers==4.57.1\n',
  'configs/pyproject.toml': '[project]\ndependencies = ["accelerate>=1.0"]\n',
  'uv.lock': '[[package]]\nname = "accelerate"\nversion = "1.2.1"\n',
}

const model = JSON.stringify({
  model_type: 'bert',
  num_hidden_layers: 2,
  hidden_size: 128,
  num_attention_heads: 2,
  intermediate_size: 256,
})

let repositories = 0

async function open(configs: number) {
  const { base, head } = world(configs)
  const repository = await beside.github.createRepository(`calls-${repositories++}`, { 'README.md': 'Models', ...base })
  const bot = await beside.callsOf('memorymark', async () => {
    const pull = await repository.openPullRequest({ files: head })
    await beside.bot.idle()
    return pull
  })
  return { repository, pull: bot.value, calls: bot.calls }
}

async function runAction(repository: Repository) {
  const token = await beside.github.actionsToken()
  return beside.callsOf('github-actions', () =>
    beside.action.run({ github: beside.github, repository, token, inputs: { comment: 'always' } }),
  )
}

const again: FileChanges = { 'README.md': 'Our models' }

test.each([1, 25, 500])(
  'a pull request of %i configs costs at most 20 and one for 25 of them, and explaining it ten',
  async configs => {
    const { repository, pull, calls } = await open(configs)
    const [check] = await repository.checkRuns(pull.headSha)
    expect(check?.conclusion).toBe('failure')
    expect(calls.length, told('the bot', calls)).toBeLessThanOrEqual(budget(configs))
    const run = await runAction(repository)
    expect(run.value.outputs).toMatchObject({ configs: String(configs), verdict: 'blocked' })
    expect(run.calls.length, told('the Action', run.calls)).toBeLessThanOrEqual(budget(configs))

    const explained = await beside.callsOf('memorymark', async () => {
      await repository.comment(pull, '/memorymark explain', contributor)
      await beside.bot.idle()
    })
    const replies = (await repository.comments(pull)).filter(({ body }) => body.startsWith('<!-- memorymark:reply'))
    expect(replies.map(({ body }) => body)).toEqual([expect.stringContaining('configs/0.yaml')])
    expect(explained.calls.length, told('explain', explained.calls)).toBeLessThanOrEqual(10)
  },
  PATIENCE_MILLIS,
)

test(
  'a push with the same 25 configs costs less than the first',
  async () => {
    const { repository, pull, calls } = await open(25)
    const run = await runAction(repository)
    const pushed = await beside.callsOf('memorymark', async () => {
      await repository.pushTo(pull, again)
      await beside.bot.idle()
    })
    expect(pushed.calls.length, told('the bot', pushed.calls)).toBeLessThan(calls.length)
    const rerun = await runAction(repository)
    expect(rerun.calls.length, told('the Action', rerun.calls)).toBeLessThan(run.calls.length)
  },
  PATIENCE_MILLIS,
)

test.each([1, 100])(
  'a pull request of %i links to configs and as many large files costs no more than one of as many configs',
  async configs => {
    const names = Array.from({ length: configs }, (_, index) => String(index))
    const named = (nameOf: (name: string) => readonly [string, FileChanges[string]]): FileChanges =>
      Object.fromEntries(names.map(nameOf))
    const large = `# ${'x'.repeat(600_000)}\n`
    const repository = await beside.github.createRepository(`calls-${repositories++}`, {
      'README.md': 'Models',
      ...named(name => [`configs/link-${name}.yaml`, { kind: 'link', text: `../real/${name}.yml` }]),
    })
    const bot = await beside.callsOf('memorymark', async () => {
      const pull = await repository.openPullRequest({
        files: {
          ...named(name => [`real/${name}.yml`, trainingConfig(16)]),
          ...named(name => [`configs/link-${name}.yaml`, { kind: 'link', text: `../configs/../real/${name}.yml` }]),
          ...named(name => [`configs/large-${name}.yaml`, trainingConfig(8) + large]),
        },
      })
      await beside.bot.idle()
      return pull
    })
    const [check] = await repository.checkRuns(bot.value.headSha)
    expect(check?.conclusion).toBe('failure')
    expect(check?.output.text).toContain('configs/link-0.yaml')
    expect(bot.calls.length, told('the bot', bot.calls)).toBeLessThanOrEqual(budget(3 * configs))
    const run = await runAction(repository)
    expect(run.calls.length, told('the Action', run.calls)).toBeLessThanOrEqual(budget(3 * configs))
  },
  PATIENCE_MILLIS,
)

/** What a failed test shows. */
function told(who: string, calls: readonly LoggedRequest[]): string {
  return [`${who}, ${calls.length} calls:`, ...calls.map(({ method, path }) => `${method} ${path}`)].join('\n')
}
