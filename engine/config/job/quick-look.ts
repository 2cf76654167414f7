/** What can be told of a job's YAML before anything is loaded that parses it. Batch scripts are launchers like any other. */
import { posix } from 'node:path'
import { mayLaunch } from '../shell/quick-look.ts'

export function isYamlPath(path: string): boolean {
  return /\.ya?ml$/i.test(path)
}

/** Whether its name, or its folder's, sounds like a job: of the other YAML, which may be thousands of configs, none is opened. */
export function soundsLikeJob(path: string): boolean {
  if (!isYamlPath(path)) return false
  const near = `${posix.basename(posix.dirname(path))}/${posix.basename(path)}`
  return /sky|job|task|launch|cluster|cloud/i.test(near)
}

/** False for a text that certainly asks for no GPU. */
export function mayAsk(text: string): boolean {
  return text.includes('#SBATCH') || /\baccelerators:/.test(text)
}

/** The same of a SkyPilot task. */
export function mayBeSkyPilot(text: string): boolean {
  return /^run:/m.test(text) && /\baccelerators:/.test(text)
}

/** False for YAML that certainly starts no training on GPUs that it asks for. */
export function mayBeJob(text: string): boolean {
  return mayBeSkyPilot(text) && mayLaunch(text)
}
