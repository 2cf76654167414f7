/** What another process uses, where the system says so (Linux); elsewhere undefined. */
import { readFileSync } from 'node:fs'
import { MIB } from '../units.ts'

/** USER_HZ, which is 100 on every architecture that Node runs on. */
const MILLIS_PER_TICK = 10
const PAGE_BYTES = 4_096

/** CPU time since its start, of all its threads. */
export function cpuMillisOf(pid: number): number | undefined {
  // The name of the command, in parentheses, may hold spaces; utime and stime are the fields 14 and 15.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s/s, '')
    .split(' ')
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * MILLIS_PER_TICK
}

/** Resident memory. */
export function residentMibOf(pid: number): number | undefined {
  const pages = read(`/proc/${pid}/statm`)?.split(' ')[1]
  return pages === undefined ? undefined : (Number(pages) * PAGE_BYTES) / MIB
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
