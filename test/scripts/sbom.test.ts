/** The list of what a release ships. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../../scripts/bundles.ts'
import { bill, bundledPackages, shipped } from '../../scripts/sbom.ts'

const listed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: root, maxBuffer: 2 ** 26 })

test('has what npm installs and what the bundles hold, and no other tool of development', async () => {
  const all = bill.parse(JSON.parse(listed.toString()))
  const { components, dependencies } = shipped(all, await bundledPackages())
  const names = components.map(({ name }) => name)
  // A dependency; one that dist/tfjs.js holds, and one that only this one needs.
  expect(names).toEqual(expect.arrayContaining(['yaml', '@tensorflow/tfjs-core', 'seedrandom']))
  expect(names).not.toEqual(expect.arrayContaining(['vitest']))
  expect(names).not.toEqual(expect.arrayContaining(['playwright-core']))
  const refs = new Set(components.map(one => one['bom-ref']))
  expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter(ref => !refs.has(ref))).toEqual([])
})
