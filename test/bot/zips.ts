/** Zip archives as a workflow run uploads them, and as an attacker does. */
import { zipSync } from 'fflate'

const text = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

export function zipOf(entries: Readonly<Record<string, unknown>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, text(value)])))
}

export function reportZip(report: unknown): Uint8Array {
  return zipOf({ 'memorymark-report.json': report })
}

/** Inflates to `bytes` zeros and declares `declaredBytes`. */
export function bombZip(bytes: number, declaredBytes: number): Uint8Array {
  const zip = Buffer.from(zipSync({ 'memorymark-report.json': new Uint8Array(bytes) }, { level: 9 }))
  const central = zip.indexOf(Buffer.from('PK\x01\x02'))
  // Offsets of the uncompressed size in the local header and in the central directory (APPNOTE 4.3.7 and 4.3.12).
  zip.writeUInt32LE(declaredBytes, 22)
  zip.writeUInt32LE(declaredBytes, central + 24)
  return zip
}
