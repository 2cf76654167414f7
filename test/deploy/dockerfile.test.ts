/** deploy/Dockerfile, held to what the repository has and what the bot reads. `npm run test:container` performs it. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { variables } from '../../bot/variables.ts'
import { bundles, root } from '../../scripts/bundles.ts'
import { entriesLetIn } from '../../scripts/container/context.ts'
import { readStages, type Step } from '../../scripts/container/dockerfile.ts'

const read = (name: string) => readFileSync(path.join(root, name), 'utf8')
const dockerfile = read('deploy/Dockerfile')
const stages = readStages(dockerfile)
const entries = entriesLetIn(read('deploy/Dockerfile.dockerignore'))
const lock = JSON.parse(read('package-lock.json'))

function stepsOf<K extends Step['kind']>(kind: K): readonly Extract<Step, { kind: K }>[] {
  return stages.flatMap(({ steps }) => steps).filter((step): step is Extract<Step, { kind: K }> => step.kind === kind)
}
const env = Object.assign({}, ...stepsOf('env').map(({ values }) => values))

test('the language server of Docker finds nothing', () => {
  expect(validate(dockerfile)).toEqual([])
  expect(validate('FROM node\nCOPPY a b\n')).toHaveLength(1)
})

test('its Node is the one that the tests run on', () => {
  expect(stages[0]?.base).toBe(`node:${lock.packages['node_modules/node'].version}-bookworm-slim`)
  expect(stages.slice(1).map(({ base }) => base)).toEqual(['base', 'base'])
})

describe('what goes into the build', () => {
  test('exists', () => {
    expect(entries.length).toBeGreaterThan(5)
    expect(entries.filter(entry => !existsSync(path.join(root, entry)))).toEqual([])
  })

  test('has every file that is copied by name', () => {
    const named = stepsOf('copy').filter(({ stage }) => stage === undefined)
    expect(named.flatMap(({ sources }) => sources).filter(name => name !== '.' && !entries.includes(name))).toEqual([])
  })

  test('has every source that is bundled', () => {
    const sources = bundles.map(({ entry }) => entry.split('/')[0])
    expect(sources.filter(folder => folder === undefined || !entries.includes(folder))).toEqual([])
  })
})

describe('the image', () => {
  test('runs the bot that the build makes', () => {
    const [line] = read('bot/server.ts').split('\n', 1)
    const node = line?.split(' ').slice(2)
    expect(node).toContain('node')
    expect(stepsOf('entrypoint').map(({ command }) => command)).toEqual([[...(node ?? []), 'dist/bot.js']])
    expect(bundles.map(({ outfile }) => outfile)).toContain('dist/bot.js')
  })

  test('sets only variables that the bot reads, and Node’s own', () => {
    const known = [...Object.keys(variables), 'NODE_ENV']
    expect(Object.keys(env).filter(name => !known.includes(name))).toEqual([])
  })

  test('keeps everything in its one volume, listens where it says, and is not root', () => {
    expect(stepsOf('volume').map(({ value }) => value)).toEqual(['/data'])
    expect([env.DATABASE_URL, env.MEMORYMARK_CREDENTIALS].filter(place => !place.startsWith('/data/'))).toEqual([])
    expect(stepsOf('expose').map(({ value }) => value)).toEqual([env.PORT])
    expect(stages.at(-1)?.steps.filter(({ kind }) => kind === 'user')).toEqual([{ kind: 'user', value: '1000:1000' }])
  })

  test('needs no script of a package, so that none is run', () => {
    const scripts = Object.entries<{ hasInstallScript?: boolean; dev?: boolean }>(lock.packages)
    expect(scripts.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev)).toEqual([])
  })
})
