/** A small storm, so that the large one can be run with trust: `npm run chaos` shows the figure. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hasPostgres } from '../../../scripts/chaos/cluster.ts'
import { stories } from '../../../scripts/chaos/stories.ts'

const pulls = Object.keys(stories).length

test.skipIf(!hasPostgres)(
  'every story comes to its right end over two replicas that are killed twice and a database that crashes',
  async () => {
    const args = [
      '--pulls',
      String(pulls),
      '--kills',
      '2',
      '--restarts',
      '1',
      '--seed',
      '3',
      // What was lost when it came is asked for at the next start, or within the minute.
      '--settle-seconds',
      '240',
      '--hostile',
      '0',
    ]
    const child = spawn(process.execPath, ['scripts/chaos.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [output, , [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    expect(output.trimEnd().split('\n').at(-1)).toBe(
      `ok: ${pulls} of ${pulls} pull requests have exactly one right check and at most one comment`,
    )
    expect(exitCode).toBe(0)
  },
)
