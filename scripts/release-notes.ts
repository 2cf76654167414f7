/** `npm run release:notes -- v0.3.1`: prints what the changelog says of the version, which must be that of package.json. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import packageFile from '../package.json' with { type: 'json' }

/** The text below a version's heading, up to the next one. @throws Error if the tag cannot be released. */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) {
    throw new Error(`The tag ${tag} is not v${version}, the version in package.json. Change one of the two.`)
  }
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find(text => text.startsWith(`[${version}]`))
  const notes = section?.slice(section.indexOf('\n')).trim()
  if (!notes)
    throw new Error(`CHANGELOG.md says nothing of ${version}. Put a heading "## [${version}]" above its changes.`)
  return notes
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tag = ''] = process.argv.slice(2)
  try {
    const changelog = await readFile(path.join(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
    console.log(releaseNotes(tag, packageFile.version, changelog))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
