import { readFileSync } from 'node:fs'

/** A file of /proc; empty where there is no such process, or none any more. */
export function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
