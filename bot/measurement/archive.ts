/**
 * Reads an artifact, which is hostile input: size is limited before and during inflation, one named entry is read in
 * memory, and a process with limits of its own parses it and validates it by the schema.
 */
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import type { IsolatedEngine, Report } from '../../engine/index.ts'

const REPORT_ENTRY = 'memorymark-report.json'

const MAX_ENTRIES = 20
const MAX_INFLATED_BYTES = 20 * 2 ** 20

export type ArchiveReading =
  | { readonly kind: 'report'; readonly report: Report }
  /** `why`: a clause in our words; nothing from the archive is quoted. */
  | { readonly kind: 'unusable'; readonly why: string }

export async function readReportArchive(
  zip: Uint8Array,
  engine: Pick<IsolatedEngine, 'readReport'>,
): Promise<ArchiveReading> {
  const archive = await fromBufferPromise(Buffer.from(zip)).catch(() => undefined)
  if (archive === undefined) return unusable('it is not a zip archive')
  if (archive.entryCount > MAX_ENTRIES) return unusable(`it contains more than ${MAX_ENTRIES} files`)
  const entry = await findEntry(archive).catch(() => undefined)
  if (entry === undefined) return unusable(`it does not contain ${REPORT_ENTRY}`)
  if (entry.uncompressedSize > MAX_INFLATED_BYTES) return unusable('its report is larger than 20 MiB')
  const text = await inflate(archive, entry).catch(() => undefined)
  return text === undefined ? unusable('it is damaged') : readReport(text, engine)
}

async function findEntry(archive: ZipFile): Promise<Entry | undefined> {
  for await (const entry of archive.eachEntry()) if (entry.fileName === REPORT_ENTRY) return entry
  return undefined
}

/** yauzl fails as soon as an entry inflates beyond its declared size. */
async function inflate(archive: ZipFile, entry: Entry): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function readReport(text: string, engine: Pick<IsolatedEngine, 'readReport'>): Promise<ArchiveReading> {
  const reading = await engine.readReport({ path: REPORT_ENTRY, text })
  switch (reading.kind) {
    case 'report':
      return reading
    case 'no-report':
      return unusable('its report does not follow the report schema')
    case 'excess':
      return unusable('reading its report takes too much time or memory')
  }
}

function unusable(why: string): ArchiveReading {
  return { kind: 'unusable', why }
}
