/** The bot and the bundled Action beside one emulated GitHub, which tells what each of them asks. */
import { BundledAction } from './action/run-action.ts'
import { type BotBesideGitHub, startBotBesideGitHub } from './bot/bot-beside-github.ts'
import { type EmulatedGitHub, type LoggedRequest, startGitHub } from './github/index.ts'
import { sharedAction } from './shared-builds.ts'

export class BothBesideGitHub implements AsyncDisposable {
  readonly github: EmulatedGitHub
  readonly bot: BotBesideGitHub['bot']
  readonly action: BundledAction
  readonly #beside: BotBesideGitHub

  private constructor(beside: BotBesideGitHub, action: BundledAction) {
    this.github = beside.github
    this.bot = beside.bot
    this.action = action
    this.#beside = beside
  }

  static async start(options: Parameters<typeof startGitHub>[0] = {}): Promise<BothBesideGitHub> {
    // Every ten minutes the bot looks for lost webhooks, whatever a pull request costs.
    const beside = await startBotBesideGitHub({ github: await startGitHub(options), keepsHouse: false })
    return new BothBesideGitHub(beside, await BundledAction.in(await sharedAction()))
  }

  /** What `act` returns, and the App's calls meanwhile: those for its tokens, too. */
  async callsOf<T>(app: string, act: () => Promise<T>): Promise<{ value: T; calls: readonly LoggedRequest[] }> {
    const before = this.github.requests.length
    const value = await act()
    const isBy = (request: LoggedRequest) =>
      request.app === app || (app === 'memorymark' && request.path.startsWith('/app/'))
    return { value, calls: this.github.requests.slice(before).filter(isBy) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#beside[Symbol.asyncDispose]()
    await this.action[Symbol.asyncDispose]()
  }
}
