/** The folder of shared-builds.ts, for one run of Vitest. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    buildsFolder: string
  }
}

export default async function provideBuildsFolder({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-builds-'))
  provide('buildsFolder', folder)
  return () => rm(folder, { recursive: true })
}
