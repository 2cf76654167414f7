/** The input `runners`: labels of the GPU runners over which `mode: plan` distributes sweeps. */
import type { Gpu } from '../engine/index.ts'
import { type InputSource, readGpu } from './inputs.ts'
import { refusedInput, shown } from './refused-input.ts'

/** For each GPU id, the labels of the runner that has it. */
export type Runners = ReadonlyMap<string, readonly string[]>

/** `described`: GPUs of the settings. @throws MemoryMarkError for a line that is not a GPU with labels. */
export function readRunners(input: InputSource, described: readonly Gpu[] = []): Runners {
  const lines = input('runners')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return new Map(lines.map(line => readRunner(line, described)))
}

function readRunner(line: string, described: readonly Gpu[]): readonly [string, readonly string[]] {
  const [, gpu = '', written = ''] = /^([^:]+):(.*)$/.exec(line) ?? []
  const labels = written
    .split(',')
    .map(label => label.trim())
    .filter(label => label !== '')
  if (labels.length === 0) {
    throw refusedInput(
      'runners',
      `"${shown(line)}" is not a GPU with runner labels`,
      'Write one per line, such as a10: self-hosted, a10',
    )
  }
  return [readGpu('runners', gpu.trim(), described).id, labels]
}
