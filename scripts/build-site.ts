/**
 * Writes the playground and the manual into site/, from where any static host can serve them. On GitHub's runners, the manual's links
 * to files of the repository lead there.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './bundles.ts'
import { buildSite } from './site.ts'

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = process.env
const isOnGitHub = server !== undefined && repository !== undefined && commit !== undefined
const files = await buildSite(isOnGitHub ? { sources: `${server}/${repository}/blob/${commit}` } : {})

const folder = path.join(root, 'site')
await rm(folder, { recursive: true, force: true })
for (const { name, contents } of files) {
  const file = path.join(folder, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, contents)
  const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`
  console.log(`site/${name}  ${kilobytes(contents.byteLength)}, ${kilobytes(gzipSync(contents).byteLength)} compressed`)
}
