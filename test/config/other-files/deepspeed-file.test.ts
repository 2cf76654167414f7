/** Where DeepSpeed's file is looked for, and what is made of it. */
import { describe, expect, it } from 'vitest'
import { findDeepSpeedFile } from '../../../engine/config/other-files/deepspeed-file.ts'

const zero2 = '{"zero_optimization": {"stage": 2}}'

/** Every path answers with a file of stage 2 where `files` does not say otherwise; and what was asked for. */
async function lookFor(name: string | undefined, configPath: string, files?: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const readFile = async (path: string) => {
    asked.push(path)
    return files === undefined ? zero2 : files[path]
  }
  return { file: await findDeepSpeedFile(name, { readFile }, configPath), asked }
}

describe('a file that a config names', () => {
  it.each([
    ['configs/ds.json', ['configs/ds.json', 'configs/llm/configs/ds.json', 'configs/configs/ds.json']],
    ['./ds.json', ['ds.json', 'configs/llm/ds.json', 'configs/ds.json']],
    ['../ds.json', ['configs/ds.json']],
    ['../../ds.json', ['ds.json']],
    ['x/../ds.json', ['ds.json', 'configs/llm/ds.json', 'configs/ds.json']],
  ])('as %s is looked for at the root, beside the config and above it, and nowhere else', async (name, places) => {
    const nothing = await lookFor(name, 'configs/llm/train.yaml', {})
    expect(nothing).toEqual({ asked: places, file: { kind: 'not-found', lookedAt: places } })
    const found = await lookFor(name, 'configs/llm/train.yaml')
    expect(found).toMatchObject({ asked: places.slice(0, 1), file: { kind: 'read', path: places[0] } })
  })

  it.each([
    '/etc/ds.json',
    '//host/ds.json',
    '../../../ds.json',
    '../../..',
    'x/../../../../ds.json',
    'https://example.com/ds.json',
    'file:///etc/ds.json',
    'file:ds.json',
    'C:/ds.json',
    'C:ds.json',
    '..\\..\\..\\ds.json',
    '\\\\host\\ds.json',
  ])('as %s is never opened', async name => {
    expect(await lookFor(name, 'configs/llm/train.yaml')).toEqual({ asked: [], file: { kind: 'outside' } })
  })

  it.each([undefined, '', 'ds\n.json', 'ds\u202e.json', `${'d'.repeat(200)}.json`])(
    'as %j is not looked for',
    async name => {
      expect(await lookFor(name, 'train.yaml')).toEqual({ asked: [], file: { kind: 'not-looked-for' } })
    },
  )

  it('is not looked for where there is no repository', async () => {
    expect(await findDeepSpeedFile('ds.json', {}, 'train.yaml')).toEqual({ kind: 'not-looked-for' })
  })

  it('of a config that was given from elsewhere is opened in its folder, and no further up', async () => {
    expect((await lookFor('ds.json', '../other/train.yaml', {})).asked).toEqual(['ds.json', '../other/ds.json'])
    expect((await lookFor('../ds.json', '../other/train.yaml', {})).asked).toEqual([])
  })
})

describe('the text of the file', () => {
  const settingsIn = async (text: string, path = 'ds.json') =>
    (await lookFor(path, 'train.yaml', { [path]: text })).file

  it.each([
    ['ds.json', zero2],
    ['ds.yaml', 'zero_optimization:\n  stage: 2\n'],
    ['ds.json', `\uFEFF${zero2}`],
  ])('%s is read as configs are, and each field says where it stands', async (path, text) => {
    const file = await settingsIn(text, path)
    if (file.kind !== 'read') throw new Error(JSON.stringify(file))
    expect(file.settings.at('zero_optimization', 'stage')).toMatchObject({
      file: path,
      name: 'zero_optimization.stage',
    })
  })

  it.each([
    ['{"zero_optimization": {"stage": 2},}', 'cannot be parsed at line 1'],
    ['{\n"zero_optimization": {"stage": 2, "stage": 3}}', 'cannot be parsed at line 2'],
    ['{"zero_optimization": // three\n 3}', 'cannot be parsed at line 1'],
    ['', 'cannot be parsed at line 1'],
    ['[]', 'is not a single mapping'],
    ['"zero_optimization"', 'is not a single mapping'],
    ['{"bf16": {"enabled": true}}', 'has no zero_optimization'],
    ['{}', 'has no zero_optimization'],
    [`{"zero_optimization": ${'['.repeat(200)}${']'.repeat(200)}}`, 'cannot be parsed at line 1'],
    [`{"zero_optimization": "${'x'.repeat(2 ** 20)}"}`, 'is larger than the limit of 500 kB'],
  ])('%.40s is of no use', async (text, why) => {
    expect(await settingsIn(text)).toEqual({ kind: 'unusable', path: 'ds.json', why })
  })

  it('in YAML is one document without a heap of aliases', async () => {
    expect(await settingsIn('zero_optimization: {}\n---\nzero_optimization: {}\n', 'ds.yaml')).toMatchObject({
      why: 'is not a single mapping',
    })
    const bomb = `a: &a [${'x, '.repeat(50)}]\nb: &b [${'*a, '.repeat(50)}]\nzero_optimization: [${'*b, '.repeat(50)}]\n`
    expect(await settingsIn(bomb, 'ds.yaml')).toMatchObject({ kind: 'unusable' })
  })

  it('is never shown', async () => {
    expect(JSON.stringify(await settingsIn('token = hunter2'))).not.toContain('hunter2')
    expect(JSON.stringify(await settingsIn('a: b: hunter2', 'ds.yaml'))).not.toContain('hunter2')
  })
})
