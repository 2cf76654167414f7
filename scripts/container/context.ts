/** The files that a build gets, as deploy/Dockerfile.dockerignore lets them in. */
import { cp } from 'node:fs/promises'
import path from 'node:path'

/** Parses a list that excludes everything and re-includes entries of the root. @throws Error for any other. */
export function entriesLetIn(dockerignore: string): readonly string[] {
  const [all, ...exceptions] = dockerignore.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const entries = exceptions.map(line => /^!([\w.-]+)\/?$/.exec(line)?.[1])
  if (all !== '*' || entries.includes(undefined))
    throw new Error('The .dockerignore is more than a list of what goes in.')
  return entries.filter(entry => entry !== undefined)
}

export async function copyContext(root: string, entries: readonly string[], target: string): Promise<void> {
  for (const entry of entries) await cp(path.join(root, entry), path.join(target, entry), { recursive: true })
}
