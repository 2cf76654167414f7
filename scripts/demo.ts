/**
 * The whole path on one machine: an emulated GitHub and the bot on loopback, a pull request with training configs, the
 * Action that analyses them, and the comment and the check that come of it. `--keep` leaves everything running
 * and shows the pull request as a page.
 */
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { zipSync } from 'fflate'
import { headline, SETTINGS_PATH } from '../engine/index.ts'
import { type EmulatedGitHub, type PullRequest, type Repository, startGitHub } from '../test/github/index.ts'
import { root } from './bundles.ts'
import { runAction } from './demo/action-run.ts'
import { BotProcess } from './demo/bot-process.ts'
import { showPullRequest } from './demo/pull-request-page.ts'
import { until } from './demo/until.ts'

const CONFIGS = 'examples/configs'
/** Different from the bot's, so that the comment shows whose figures it uses. */
const INPUTS = { 'hours-per-run': '6', 'runs-per-year': '50' }

interface Stage {
  readonly github: EmulatedGitHub
  readonly bot: BotProcess
  readonly repository: Repository
  readonly pullRequest: PullRequest
  readonly signal: AbortSignal
}

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())

try {
  await demo({ keep: process.argv.includes('--keep'), signal: interruption.signal })
} catch (error) {
  if (!interruption.signal.aborted) throw error
  process.exitCode = 130
}

async function demo({ keep, signal }: { keep: boolean; signal: AbortSignal }): Promise<void> {
  say('GitHub is emulated on this machine and every number is an estimate: no account, no GPU, no network.\n')

  await using github = await startGitHub()
  await using bot = await BotProcess.start({ app: github.app, apiUrl: github.url, signal })
  github.sendWebhooksTo(bot.webhooksUrl)
  say(`1. An emulated GitHub listens on ${github.url}, the bot on ${bot.origin}.`)

  const files = await exampleConfigs()
  const repository = await github.createRepository('models', {
    'README.md': '# Models\n',
    [SETTINGS_PATH]: 'gpu: a10\n',
  })
  const pullRequest = await repository.openPullRequest({ title: 'Train three models', files })
  const stage = { github, bot, repository, pullRequest, signal }
  say(`2. Pull request ${pullRequest.number} of ${repository.fullName} is open, with these files:`)
  for (const name of Object.keys(files)) say(`   ${name}`)

  const estimate = await firstComment(stage)
  say('3. The bot has commented with its estimate and completed its check.')

  const artifact = await analyseWithAction(stage)
  const conclusion = artifact.exitCode === 0 ? 'success' : 'failure'
  await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, conclusion, artifact: artifact.zip })
  say('5. The workflow run has finished; its report is an artifact.')

  const comment = await otherComment(stage, estimate)
  say('6. The bot has taken the report and brought its comment and its check up to date.')

  await show(stage, comment)
  if (keep) {
    await using page = await showPullRequest(repository, pullRequest)
    say(`\nThe pull request as GitHub would show it: ${page.url}\nRunning until Ctrl-C.`)
    if (!signal.aborted) await once(signal, 'abort')
  } else {
    say(
      '\nThese addresses have ended with the demo; npm run demo -- --keep leaves them up and shows the pull request as a page.',
    )
  }
}

async function exampleConfigs(): Promise<Record<string, string>> {
  const names = await readdir(path.join(root, CONFIGS))
  const entries = names.toSorted().map(async name => {
    const file = `${CONFIGS}/${name}`
    return [file, await readFile(path.join(root, file), 'utf8')] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

function firstComment({ bot, repository, pullRequest, signal }: Stage): Promise<string> {
  return until('the bot to comment', { signal, log: () => bot.log }, async () => {
    const [comment] = await repository.comments(pullRequest)
    return comment?.body
  })
}

/** The bot completes the check before it writes the comment. */
function otherComment({ bot, repository, pullRequest, signal }: Stage, before: string): Promise<string> {
  return until('the bot to take the report', { signal, log: () => bot.log }, async () => {
    const [comment] = await repository.comments(pullRequest)
    return comment?.body === before ? undefined : comment?.body
  })
}

async function analyseWithAction({ github, repository, signal }: Stage) {
  const event = github.deliveries.findLast(delivery => delivery.event === 'pull_request')?.body
  if (event === undefined) throw new Error('The emulated GitHub has sent no pull_request event.')
  const { exitCode, report } = await runAction({
    apiUrl: github.url,
    repository: repository.fullName,
    token: await github.actionsToken(),
    event,
    inputs: INPUTS,
    signal,
  })
  const inputs = Object.entries(INPUTS).map(([name, value]) => `${name} ${value}`)
  say(`4. The Action, told ${inputs.join(' and ')}, has analysed them: ${headline(report)}. Exit code ${exitCode}.`)
  return { exitCode, zip: zipSync({ 'memorymark-report.json': Buffer.from(JSON.stringify(report)) }) }
}

async function show({ github, repository, pullRequest }: Stage, comment: string): Promise<void> {
  const check = (await repository.checkRuns(pullRequest.headSha)).at(-1)
  if (check === undefined) throw new Error('The bot has left no check.')
  const api = `${github.url}/repos/${repository.fullName}`
  say(`\n──── The comment, in Markdown ────\n\n${comment}`)
  say('\n──── The check ────\n')
  say(`${check.name}: ${check.conclusion}`)
  say(`${check.output.title}`)
  say(`${check.output.annotations_count} annotations on the changed lines`)
  say('\n──── Where to look ────\n')
  say(`pull request  ${api}/pulls/${pullRequest.number}`)
  say(`comment       ${api}/issues/${pullRequest.number}/comments`)
  say(`check         ${api}/commits/${pullRequest.headSha}/check-runs`)
}

function say(text: string): void {
  console.log(text)
}
