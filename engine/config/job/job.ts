/** The GPUs of the job whose file starts a training. */

import { MAX_CONFIG_BYTES } from '../../base/limits.ts'
import type { SourceFile } from '../reading.ts'
import type { Launch, Processes } from '../shell/launch.ts'
import { manifestRequest } from './manifest.ts'
import { isYamlPath } from './quick-look.ts'
import type { JobRequest } from './request.ts'
import { skyPilotRequest } from './skypilot.ts'
import { slurmRequest } from './slurm.ts'

/** Undefined for a file that asks for no machine. */
export function jobRequest(file: SourceFile): JobRequest | undefined {
  const { path, sizeBytes } = file
  const text = file.text.replace(/^\uFEFF/, '')
  if ((sizeBytes ?? text.length) > MAX_CONFIG_BYTES) return undefined
  const read = { ...file, text }
  return isYamlPath(path) ? (skyPilotRequest(read) ?? manifestRequest(read)) : slurmRequest(path, text)
}

/** These start a process for each GPU that they find. */
const oneEach: ReadonlySet<string> = new Set([
  'accelerate launch',
  'deepspeed',
  'llamafactory-cli train',
  'axolotl train',
])

/** How many processes a launch that does not say starts on the machine that the job asks for. */
export function processesOn(job: JobRequest | undefined, launch: Launch): Processes {
  const { processes, launcher, accelerateConfig } = launch
  const asked = job?.gpusPerNode
  if (processes.kind !== 'unsaid' || asked === undefined || !job?.isOneMachine || accelerateConfig !== undefined)
    return processes
  // Any launcher uses the only GPU. Of several, Python's one process sees all; what another launcher does with them is unknown.
  if (asked.count === 1 || oneEach.has(launcher)) return { kind: 'count', ...asked }
  return launcher === 'python' ? { kind: 'visible', ...asked } : processes
}
