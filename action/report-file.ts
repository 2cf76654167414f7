/** Writes the report to a file that a later step uploads. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Report } from '../engine/index.ts'

/**
 * Deletes an old report: a self-hosted runner keeps its workspace, and a run that fails early would upload another pull
 * request's report.
 */
export async function removeStaleReport(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** Fails if `file` exists: a checked-out pull request could have put a link there that leads out of the workspace. */
export async function writeReport(report: Report, file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`, { flag: 'wx' })
}
