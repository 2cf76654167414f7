import { expect, test } from 'vitest'
import { readSettings, SETTINGS_PATH } from '../../../engine/index.ts'
import { findModel, modelIds } from '../../../engine/models/catalogue.ts'
import { readConfigJson } from '../../../engine/models/config-json.ts'
import { fieldsOf, withHostileValues } from '../../../scripts/attack/fields.ts'
import { hostileInputs, shareOf } from '../../../scripts/attack/inputs.ts'
import { namedCases } from '../../../scripts/attack/named-cases.ts'

test('every field of the text gets one value of each kind, and the rest of the text stays', () => {
  const text = 'a: 1 # one\nb:\n  c: [2, 3]\nd: x\n'
  const fields = fieldsOf(text)

  expect(fields.map(({ name }) => name)).toEqual(['a', 'b', 'b.c', 'd'])
  const made = fields.map((field, index) => withHostileValues(text, field, index))
  expect(made.map(({ length }) => length)).toEqual([5, 5, 5, 5])
  expect(made[0]?.[0]).toEqual({ name: 'a: a billion', text: 'a: 1000000000 # one\nb:\n  c: [2, 3]\nd: x\n' })
  expect(made[1]?.[0]?.text).toMatch(/^a: 1 # one\nb:\n {2}9{300}\nd: x\n$/)
})

test('the cases are at least 300 more than the named ones, over every tool, config.json and the settings', () => {
  const names = hostileInputs(1).map(({ name }) => name)
  const tools = ['axolotl', 'deepspeed', 'huggingface', 'hydra', 'lightning', 'llamafactory', 'memorymark', 'timm']

  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(namedCases.length + 300)
  for (const part of [...tools, 'torchtune', 'ultralytics', 'settings']) {
    expect(names.some(name => name.startsWith(`${part}, `))).toBe(true)
  }
  expect(names.filter(name => name.startsWith('config.json of ')).length).toBeGreaterThan(300)
})

test('the config.json that a hostile value is put into is one that is read', () => {
  const unread = modelIds.filter(id => readConfigJson(JSON.stringify(findModel(id)?.config)).kind !== 'config')
  expect(unread).toEqual([])
})

test('the short form has every named case and each kind of value', () => {
  const short = hostileInputs(97)

  expect(short).toEqual(expect.arrayContaining([...namedCases]))
  const text = short.map(({ name }) => name).join('\n')
  const kinds = [
    /billion|beyond/,
    /in each other/,
    /a text of/,
    /a mapping of|a key that/,
    /repetitions|stars|range|optional/,
  ]
  for (const words of kinds) expect(text).toMatch(words)
})

test('surfaces that share the cases have every named one, at least 300 by rule together, and each kind of value', () => {
  const all = hostileInputs(1)
  const shares = Array.from({ length: 4 }, (_, index) => shareOf(all, index, 4))
  const byRule = shares.flat().filter(input => !namedCases.includes(input))

  for (const share of shares) expect(share).toEqual(expect.arrayContaining([...namedCases]))
  expect(new Set(byRule).size).toBe(byRule.length)
  expect(byRule.length).toBeGreaterThanOrEqual(300)
  const words = byRule.map(({ name }) => name).join('\n')
  const kinds = [
    /a billion|a million|300 digits/,
    /in each other/,
    /a text of|400,000 digits/,
    /a list of 50,000|a mapping of/,
    /patterns|stars|range|repetitions/,
  ]
  for (const kind of kinds) expect(words).toMatch(kind)
})

test('hostile settings are settings in everything but their values', () => {
  const settings = hostileInputs(1).find(({ name }) => name.startsWith('settings, paths: '))
  const read = readSettings({ path: SETTINGS_PATH, text: settings?.kind === 'settings' ? settings.text : '' })

  expect(read.kind === 'unreadable' ? read.problems.map(({ field }) => field) : []).toContain('paths')
})
