/** The workflow run as the runner describes it: event, commit, repository. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { MemoryMarkError } from '../engine/base/errors.ts'
import type { Repository } from '../github/client.ts'

export interface RunContext {
  readonly eventName: string
  /** The webhook's payload; an empty object if the runner has none. */
  readonly payload: unknown
  /** The commit of the workflow run; on a pull request that is GitHub's test merge. */
  readonly sha: string
  /** The branch or tag of the workflow run, as `refs/heads/main`. */
  readonly ref: string
  readonly repository: Repository
  /** The working directory of steps. */
  readonly workspace: string
  /** Address of the playground that the repository of this Action publishes; undefined where it has no known one. */
  readonly playground: string | undefined
}

const environment = z.object({
  GITHUB_EVENT_NAME: z.string().default(''),
  GITHUB_EVENT_PATH: z.string().optional(),
  GITHUB_SHA: z.string().default(''),
  GITHUB_REF: z.string().default(''),
  GITHUB_REPOSITORY: z.string().regex(/^[^/]+\/[^/]+$/),
  GITHUB_WORKSPACE: z.string().default('.'),
  GITHUB_SERVER_URL: z.string().default(''),
  GITHUB_ACTION_REPOSITORY: z.string().default(''),
})

/** @throws MemoryMarkError outside a GitHub runner. */
export function readRunContext(variables: NodeJS.ProcessEnv): RunContext {
  const parsed = environment.safeParse(variables)
  if (!parsed.success) throw notOnRunner(parsed.error)
  const { data } = parsed
  const [owner = '', repo = ''] = data.GITHUB_REPOSITORY.split('/')
  return {
    eventName: data.GITHUB_EVENT_NAME,
    payload: readPayload(data.GITHUB_EVENT_PATH),
    sha: data.GITHUB_SHA,
    ref: data.GITHUB_REF,
    repository: { owner, repo },
    workspace: data.GITHUB_WORKSPACE,
    playground: playgroundOf(data.GITHUB_SERVER_URL, data.GITHUB_ACTION_REPOSITORY),
  }
}

/**
 * The GitHub Pages of the repository that the Action was taken from (`owner/name`), where `.github/workflows/site.yml` puts the
 * playground. Nobody but its owner can publish there. Empty for an Action within the repository itself.
 */
function playgroundOf(serverUrl: string, actionRepository: string): string | undefined {
  const [, owner, name] = /^([\w-]+)\/([\w.-]+)$/.exec(actionRepository) ?? []
  if (serverUrl !== 'https://github.com' || owner === undefined) return undefined
  return `https://${owner.toLowerCase()}.github.io/${name}/`
}

function readPayload(file: string | undefined): unknown {
  if (file === undefined) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw notOnRunner(cause)
  }
}

function notOnRunner(cause: unknown): MemoryMarkError {
  return new MemoryMarkError(
    {
      code: 'not-on-runner',
      message: "The runner's environment variables are missing or cannot be read",
      fix: 'Run this as a step of a GitHub Actions job; elsewhere, use the command line.',
    },
    { cause },
  )
}
