import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../bot/settings.ts'
import { bareEnvironment } from '../bare-environment.ts'
import { sharedCommand } from '../shared-builds.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const enough = { APP_ID: '42', PRIVATE_KEY: privateKey, WEBHOOK_SECRET: 'a secret of our own' }

test('three variables are enough, and the rest has defaults', () => {
  expect(readSettings(enough)).toMatchObject({
    appId: 42,
    host: 'localhost',
    port: 3000,
    apiUrl: 'https://api.github.com',
    gpu: undefined,
    failOn: undefined,
    playground: undefined,
    workflowPath: '.github/workflows/memorymark.yml',
  })
})

test('a private key may stand on one line', () => {
  expect(readSettings({ ...enough, PRIVATE_KEY: privateKey.replaceAll('\n', '\\n') }).privateKey).toBe(privateKey)
})

test('the GPU and what blocks can be set', () => {
  const settings = readSettings({ ...enough, MEMORYMARK_GPU: 'l4', MEMORYMARK_FAIL_ON: 'annual-cost > $500' })
  expect(settings.gpu?.id).toBe('l4')
  expect(settings.failOn).toEqual([{ kind: 'annual-cost', aboveUsd: 500 }])
})

describe('the bot refuses to start', () => {
  test.each([
    ['on the secret that everyone knows', { WEBHOOK_SECRET: 'development' }, 'WEBHOOK_SECRET ("development" is'],
    ['without a secret', { WEBHOOK_SECRET: undefined }, 'WEBHOOK_SECRET (The webhook secret from'],
    ['on a short secret', { WEBHOOK_SECRET: 'hunter2' }, 'WEBHOOK_SECRET (At least 16 characters'],
    ['on a key that is none', { PRIVATE_KEY: 'secret' }, 'PRIVATE_KEY (Not a private key in PEM form)'],
    ['without an App id', { APP_ID: undefined }, 'APP_ID'],
    ['on an unknown GPU', { MEMORYMARK_GPU: 'a11' }, 'MEMORYMARK_GPU'],
    ['on an unreadable policy', { MEMORYMARK_FAIL_ON: 'waste' }, 'MEMORYMARK_FAIL_ON'],
    ['on a playground without TLS', { MEMORYMARK_PLAYGROUND: 'http://acme.example/' }, 'MEMORYMARK_PLAYGROUND'],
  ])('%s', (_, change, message) => {
    expect(() => readSettings({ ...enough, ...change })).toThrow(message)
  })

  test('on several counts at once, and names each', () => {
    expect(() => readSettings({})).toThrow(/APP_ID .*PRIVATE_KEY .*WEBHOOK_SECRET /)
  })

  test('with a message and exit code 2, without a stack', async () => {
    const env = { ...bareEnvironment, ...enough, WEBHOOK_SECRET: 'development' }
    const script = await sharedCommand('memorymark-bot')
    const { status, stderr } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stderr).toMatch(/^The bot cannot start with this environment: WEBHOOK_SECRET/)
    expect(stderr).not.toContain('    at ')
  })
})
