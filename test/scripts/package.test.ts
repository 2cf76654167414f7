/** What npm packs, beside what its scripts build. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { root } from '../../scripts/bundles.ts'

const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })])

test('the package has every file of the Python worker, and of its folder nothing else', () => {
  const folder = 'engine/probes/worker'
  const sources = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = packed.parse(JSON.parse(output))
  const shipped = files.map(file => file.path).filter(name => name.startsWith(`${folder}/`))
  const expected = sources.filter(name => name.endsWith('.py')).map(name => `${folder}/${name}`)
  expect(expected.length).toBeGreaterThan(1)
  expect(shipped.toSorted()).toEqual(expected.toSorted())
})
