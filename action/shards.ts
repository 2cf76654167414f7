/** Reports that other jobs left, read as what they are: files that came from elsewhere. */
import { glob, open } from 'node:fs/promises'
import path from 'node:path'
import { type Report, report } from '../engine/index.ts'
import { MIB } from '../engine/units.ts'

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
    if (read === undefined) remarks.push(`${file} is no report of MemoryMark and was left aside.`)
    else reports.push(read)
  }
  return { reports, remarks }
}

/** Undefined for whatever is not a report of at most 16 MiB, and where there is no file. */
export async function readReport(file: string): Promise<Report | undefined> {
  const text = await readText(file)
  if (text === undefined) return undefined
  const parsed = report.safeParse(parseJson(text))
  return parsed.success ? parsed.data : undefined
}

async function readText(file: string): Promise<string | undefined> {
  try {
    await using opened = await open(file)
    const { size } = await opened.stat()
    return size > MAX_FILE_BYTES ? undefined : await opened.readFile('utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
