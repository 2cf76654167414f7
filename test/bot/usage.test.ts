import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { usage } from '../../bot/usage.ts'
import { variables } from '../../bot/variables.ts'
import { version } from '../../engine/base/version.ts'
import { bareEnvironment } from '../bare-environment.ts'
import { sharedCommand } from '../shared-builds.ts'

async function bot(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [await sharedCommand('memorymark-bot'), ...args], {
    env: bareEnvironment,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('--help needs no environment, and names every variable and every exit code', async () => {
  expect(await bot('--help')).toEqual({ status: 0, stdout: `${usage}\n`, stderr: '' })
  const named = Array.from(usage.matchAll(/^ {2}([A-Z_]+) /gm), ([, name]) => name)
  expect(named).toEqual(Object.keys(variables))
  expect(named).toEqual(expect.arrayContaining(['APP_ID', 'DATABASE_URL', 'MEMORYMARK_API_TOKEN']))
  expect(Array.from(usage.matchAll(/^ {2}(\d) /gm), ([, code]) => code)).toEqual(['0', '1', '2'])
})

test('--version needs none either', async () => {
  expect(await bot('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
})

test('what is no option is refused in one line', async () => {
  const { status, stdout, stderr } = await bot('--port', '3000')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^"--port 3000" is not an option of memorymark-bot\. .*`memorymark-bot --help`.*\n$/)
})
