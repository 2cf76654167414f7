/** The GPUs of the job whose file starts a training. */
import { MAX_CONFIG_BYTES } from '../document.ts'
import type { SourceFile } from '../reading.ts'
import type { Launch, Processes } from '../shell/launches.ts'
import type { JobRequest } from './request.ts'
import { slurmRequest } from './slurm.ts'

/** Undefined for a file that asks for no machine. */
export function jobRequest({ path, text, sizeBytes }: SourceFile): JobRequest | undefined {
  const own = text.replace(/^\uFEFF/, '')
  if ((sizeBytes ?? own.length) > MAX_CONFIG_BYTES) return undefined
  return slurmRequest(path, own)
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
  const isOneMachine = job?.nodes === undefined || job.nodes.count === 1
  if (processes.kind !== 'unsaid' || asked === undefined || !isOneMachine || accelerateConfig !== undefined)
    return processes
  // Any launcher finds one where there is no other; what a script does with several is its own affair.
  return asked.count === 1 || oneEach.has(launcher) ? { kind: 'count', ...asked } : processes
}
