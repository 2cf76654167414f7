/** Calls as a test makes them, and the smallest world to make them in. */
import { type EmulatedGitHub, type GitHubOptions, startGitHub } from './index.ts'

export async function call(github: EmulatedGitHub, token: string, method: string, path: string, body?: unknown) {
  const response = await fetch(github.url + path, {
    method,
    headers: { authorization: `token ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, link: response.headers.get('link'), text }
}

/** `acme/models` with two files. */
export async function world(options: GitHubOptions = {}) {
  const github = await startGitHub(options)
  const repository = await github.createRepository('models', { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' })
  return { github, repository, [Symbol.asyncDispose]: () => github[Symbol.asyncDispose]() }
}
