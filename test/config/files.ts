/** Files of a repository that a config's reader may ask for. */
import type { Sources } from '../../engine/config/sources.ts'

export type Files = Readonly<Record<string, string>>

export function sourcesOf(files: Files): Required<Pick<Sources, 'readFile' | 'listFolder'>> {
  return {
    readFile: async (name: string) => files[name],
    listFolder: async (folder: string) =>
      Object.keys(files).flatMap(name => {
        const at = name.lastIndexOf('/')
        return (at < 0 ? '.' : name.slice(0, at)) === folder ? [name.slice(at + 1)] : []
      }),
  }
}
