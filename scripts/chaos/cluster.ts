/** A PostgreSQL server of its own in a temporary folder, on a free port of 127.0.0.1. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../demo/free-port.ts'

const run = promisify(execFile)

/** Debian's; MEMORYMARK_POSTGRES_BIN names another folder. */
const bin = process.env.MEMORYMARK_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'

const LAST_WORDS = 2_000

/** PostgreSQL refuses to run as root. */
const asRoot = process.getuid?.() === 0

export const hasPostgres = existsSync(path.join(bin, 'initdb'))

export class PostgresCluster implements AsyncDisposable {
  readonly url: string
  readonly #folder: string
  readonly #port: number

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  /** @throws Error where PostgreSQL is not installed or does not start. */
  static async start(): Promise<PostgresCluster> {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-postgres-'))
    if (asRoot) await chown(folder, await postgresId('-u'), await postgresId('-g'))
    const cluster = new PostgresCluster(folder, await freePort())
    await command('initdb', [
      '--pgdata',
      cluster.#data,
      '--username',
      'postgres',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
    ])
    await cluster.#control('start')
    return cluster
  }

  async version(): Promise<string> {
    const { stdout } = await command('postgres', ['--version'])
    return stdout.trim()
  }

  /** As if the machine had lost power: connections break, nothing is flushed, and the log is replayed at the start. */
  async crash(): Promise<void> {
    await this.#control('restart', '--mode', 'immediate')
  }

  /** Its processes stop where they are: connections stay open, and nothing is answered until `thaw`. */
  async freeze(): Promise<void> {
    // The first process first, so that it makes no more of them meanwhile.
    for (const pid of await this.#processes()) process.kill(pid, 'SIGSTOP')
  }

  async thaw(): Promise<void> {
    for (const pid of await this.#processes()) process.kill(pid, 'SIGCONT')
  }

  async #processes(): Promise<readonly number[]> {
    const [first = ''] = (await readFile(path.join(this.#data, 'postmaster.pid'), 'utf8')).split('\n')
    const { stdout } = await run('pgrep', ['--parent', first])
    return [first, ...stdout.trim().split('\n')].map(Number)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#control('stop', '--mode', 'immediate')
    await rm(this.#folder, { recursive: true, force: true })
  }

  get #data(): string {
    return path.join(this.#folder, 'data')
  }

  async #control(action: 'start' | 'restart' | 'stop', ...more: readonly string[]): Promise<void> {
    const server = `-p ${this.#port} -h 127.0.0.1 -k ${this.#folder}`
    const log = path.join(this.#folder, 'log')
    const args = [action, '--wait', '--silent', '--pgdata', this.#data, '--log', log, '-o', server, ...more]
    await command('pg_ctl', args).catch(async cause => {
      const written = await readFile(log, 'utf8').catch(() => '')
      throw new Error(`PostgreSQL did not ${action}. It wrote:\n${written.slice(-LAST_WORDS)}`, { cause })
    })
  }
}

function command(program: string, args: readonly string[]): Promise<{ stdout: string }> {
  const file = path.join(bin, program)
  return asRoot ? run('runuser', ['-u', 'postgres', '--', file, ...args], { cwd: '/' }) : run(file, [...args])
}

async function postgresId(kind: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [kind, 'postgres'])
  return Number(stdout)
}
