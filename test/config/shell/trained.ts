/** The training that a shell script starts. */
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { FileReading, Reading } from '../../../engine/config/reading.ts'

export const bert = '--model_name_or_path google-bert/bert-base-uncased --max_seq_length 128'

export function read(text: string, path = 'train.sh'): Promise<FileReading> {
  return readConfigAsync({ path, text }, {})
}

export async function trained(text: string, path?: string): Promise<Extract<Reading, { kind: 'training-config' }>> {
  const reading = await read(text, path)
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}
