/** Writes the playground into site/, from where any static host can serve it. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './bundles.ts'
import { buildSite } from './site.ts'

const folder = path.join(root, 'site')
await rm(folder, { recursive: true, force: true })
for (const { name, contents } of await buildSite()) {
  const file = path.join(folder, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, contents)
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`
  console.log(`site/${name}  ${kilobytes(contents.byteLength)}, ${kilobytes(gzipSync(contents).byteLength)} compressed`)
}
