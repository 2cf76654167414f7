/** Reads commands of verl, and files of its settings. */
import { readConfigAsync } from '../../../../engine/config/read.ts'
import type { Reading } from '../../../../engine/config/reading.ts'

export const read = (text: string, path = 'train.sh') => readConfigAsync({ path, text }, {})

export async function trained(text: string, path?: string): Promise<Extract<Reading, { kind: 'training-config' }>> {
  const reading = await read(text, path)
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

export async function problemsIn(text: string, path?: string): Promise<readonly string[]> {
  const reading = await read(text, path)
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems.map(({ field, code }) => `${field} ${code}`)
}
