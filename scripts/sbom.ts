/**
 * Writes the list of what a release ships, as CycloneDX: what npm installs with the package, and what is only needed to develop it
 * but stands in one of the bundles of dist/, as their licence files say.
 */
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { root } from './bundles.ts'
import { BETWEEN_LICENSES } from './licenses.ts'

const properties = z.array(z.object({ name: z.string(), value: z.string() })).optional()
const component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), properties })
const dependency = z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })
export const bill = z.looseObject({ components: z.array(component), dependencies: z.array(dependency) })

/** `all`: of every package that is installed. `bundled`: names of packages. */
export function shipped(all: z.infer<typeof bill>, bundled: ReadonlySet<string>): z.infer<typeof bill> {
  const components = all.components.filter(one => !isForDevelopment(one) || bundled.has(one.name))
  const refs = new Set(components.map(one => one['bom-ref']))
  const isListed = (ref: string) => refs.has(ref)
  const own = all.dependencies.filter(({ ref }) => isListed(ref) || !all.components.some(one => one['bom-ref'] === ref))
  return {
    ...all,
    components,
    dependencies: own.map(one => ({ ...one, dependsOn: one.dependsOn.filter(isListed) })),
  }
}

/** Names of the packages whose code stands in a bundle that is committed or packed. */
export async function bundledPackages(): Promise<ReadonlySet<string>> {
  const dist = path.join(root, 'dist')
  const files = (await readdir(dist, { recursive: true })).filter(name => name.endsWith('LICENSES.txt'))
  const texts = await Promise.all(files.map(name => readFile(path.join(dist, name), 'utf8')))
  return new Set(texts.flatMap(text => text.split(BETWEEN_LICENSES).map(part => part.split('\n', 1)[0] ?? '')))
}

function isForDevelopment({ properties = [] }: z.infer<typeof component>): boolean {
  return properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')
}

if (import.meta.main) {
  const listed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: root, maxBuffer: 2 ** 26 })
  const all = bill.parse(JSON.parse(listed.toString()))
  console.log(JSON.stringify(shipped(all, await bundledPackages()), undefined, 2))
}
