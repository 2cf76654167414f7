/** Reads reports of other jobs, as untrusted files. */
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { parseJson } from '../engine/base/json.ts'
import { MIB } from '../engine/base/units.ts'
import { type Report, report } from '../engine/index.ts'
import { readRegularFile } from './regular-file.ts'

/** A matrix has at most 256 jobs. */
const MAX_FILES = 256
const MAX_FILE_BYTES = 16 * MIB

export interface ReadReports {
  readonly reports: readonly Report[]
  readonly remarks: readonly string[]
}

/** `patterns`: globs relative to `folder`. */
export async function readReports(patterns: readonly string[], folder: string): Promise<ReadReports> {
  const files: string[] = []
  for await (const file of glob(patterns, { cwd: folder })) files.push(file)
  files.sort()
  const reports: Report[] = []
  const remarks = files.length > MAX_FILES ? [`Only the first ${MAX_FILES} of ${files.length} reports are read.`] : []
  for (const file of files.slice(0, MAX_FILES)) {
    const read = await readReport(path.join(folder, file))
    if (read === undefined) remarks.push(`${file} is not a MemoryMark report and was ignored.`)
    else reports.push(read)
  }
  return { reports, remarks }
}

/** Undefined if there is no file, or it is not a report of at most 16 MiB. */
export async function readReport(file: string): Promise<Report | undefined> {
  const reading = await readRegularFile(file, MAX_FILE_BYTES)
  if (reading.kind !== 'text') return undefined
  const parsed = report.safeParse(parseJson(reading.text))
  return parsed.success ? parsed.data : undefined
}
