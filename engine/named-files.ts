/** Which files of a repository configs name, before they are analysed: so that those can be read together. */
import { readConfigAsync } from './config/read.ts'
import type { SourceFile } from './config/reading.ts'
import { type RepositorySettings, settingsFor } from './settings/settings.ts'

export interface ReadSoFar {
  /** Undefined where there is no such file, or none that was read. */
  readonly text: (path: string) => string | undefined
  /** Whether it would be read if it is asked for. */
  readonly isUnread: (path: string) => Promise<boolean>
}

/** What each config asks for that is still unread. What it asks for next may depend on what that says. */
export async function namedFiles(
  files: readonly SourceFile[],
  settings: RepositorySettings,
  { text, isUnread }: ReadSoFar,
): Promise<readonly string[]> {
  const named = new Set<string>()
  const readFile = async (path: string) => {
    if (await isUnread(path)) named.add(path)
    return text(path)
  }
  for (const file of files) await readConfigAsync(file, { readFile }, settingsFor(file.path, settings).supplied)
  return [...named]
}
