/** The report on disk, where a later step of the job uploads it. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Report } from '../engine/index.ts'

/**
 * A self-hosted runner keeps its workspace: without this, a run that fails early would have the report of another pull
 * request uploaded as its own.
 */
export async function removeStaleReport(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** `file` must not exist: a checked-out pull request may have put a link there that points out of the workspace. */
export async function writeReport(report: Report, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`, { flag: 'wx' })
}
