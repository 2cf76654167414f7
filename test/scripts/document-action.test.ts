import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/bundles.ts'

it('the tables of docs/action.md are those of action.yml', () => {
  const script = path.join(root, 'scripts/document-action.ts')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
