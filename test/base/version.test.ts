import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { refuseOldNode } from '../../engine/base/version.ts'
import { root } from '../../scripts/bundles.ts'

const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.map(Number) ?? []

test('Node is taken from the version on that package.json names', () => {
  for (const taken of [`${major}.${minor}.0`, `${major}.${Number(minor) + 1}.3`, `${Number(major) + 2}.0.0`]) {
    expect(() => refuseOldNode(taken)).not.toThrow()
  }
})

test('one before it is refused with what is needed', () => {
  for (const refused of [`${major}.${Number(minor) - 1}.9`, `${Number(major) - 2}.20.2`]) {
    expect(() => refuseOldNode(refused)).toThrow(
      `this is Node ${refused}, which is too old. Use Node ${major}.${minor} or newer.`,
    )
  }
})
