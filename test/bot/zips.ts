/** Zip archives as a workflow run uploads them. */
import { type Zippable, zipSync } from 'fflate'

const text = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

/** What is empty is stored, as zip does it: to deflate thousands of such entries takes seconds. */
export function zipOf(entries: Readonly<Record<string, unknown>>): Uint8Array {
  const zippable: Zippable = {}
  for (const [name, value] of Object.entries(entries)) {
    const bytes = text(value)
    zippable[name] = bytes.byteLength === 0 ? [bytes, { level: 0 }] : bytes
  }
  return zipSync(zippable)
}

export function reportZip(report: unknown): Uint8Array {
  return zipOf({ 'memorymark-report.json': report })
}
