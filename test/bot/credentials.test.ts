import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkWritable, storeCredentials, withCredentials } from '../../bot/credentials.ts'
import { readCredentials } from '../../bot/settings.ts'

const privateKey = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}).privateKey.trim()
const credentials = { appId: 42, privateKey, webhookSecret: 'a secret of our own' }

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'memorymark-credentials-'))
  file = path.join(folder, 'app.env')
})
afterEach(() => rm(folder, { recursive: true }))

test('what is stored is what is read', async () => {
  await storeCredentials(file, credentials)
  const env = await withCredentials({ MEMORYMARK_CREDENTIALS: file, HOST: '0.0.0.0' })
  expect(env).toMatchObject({ HOST: '0.0.0.0' })
  expect(readCredentials(env ?? {})).toEqual(credentials)
})

test('where the environment names an App, the file is not read', async () => {
  await storeCredentials(file, credentials)
  const env = { MEMORYMARK_CREDENTIALS: file, APP_ID: '7' }
  expect(await withCredentials(env)).toBe(env)
})

test('variables that are empty, as Compose leaves them, name no App', async () => {
  expect(
    await withCredentials({ MEMORYMARK_CREDENTIALS: file, APP_ID: '', PRIVATE_KEY: '', WEBHOOK_SECRET: '' }),
  ).toBeUndefined()
})

test('an incomplete file is told with what it lacks', async () => {
  await writeFile(file, 'APP_ID=42\n')
  await expect(withCredentials({ MEMORYMARK_CREDENTIALS: file })).rejects.toThrow(
    `${file}: The App's credentials are incomplete: there is no PRIVATE_KEY and no WEBHOOK_SECRET.`,
  )
})

test('an App is never written over another', async () => {
  await storeCredentials(file, credentials)
  await expect(storeCredentials(file, { ...credentials, appId: 7 })).rejects.toThrow('MEMORYMARK_CREDENTIALS')
  expect(readCredentials((await withCredentials({ MEMORYMARK_CREDENTIALS: file })) ?? {})).toEqual(credentials)
})

test('a folder that is not there is told before an App is created', async () => {
  await expect(checkWritable(path.join(folder, 'absent', 'app.env'))).rejects.toThrow('cannot be stored here')
})
