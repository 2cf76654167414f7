/** What can be told of a job's YAML before anything is loaded that parses it. Batch scripts are launchers like any other. */
import { posix } from 'node:path'
import { mayLaunch } from '../shell/quick-look.ts'

export function isYamlPath(path: string): boolean {
  return /\.ya?ml$/i.test(path)
}

/** Whether environment variables can be passed when the job is submitted: a Slurm batch script, or a job in YAML. */
export function isJobFile({ path, text }: { readonly path: string; readonly text: string }): boolean {
  return isYamlPath(path) || /^#SBATCH\b/m.test(text)
}

/** Whether its name, or its folder's, sounds like a job: of the other YAML, which may be thousands of configs, none is opened. */
export function soundsLikeJob(path: string): boolean {
  if (!isYamlPath(path)) return false
  const near = `${posix.basename(posix.dirname(path))}/${posix.basename(path)}`
  return /sky|job|task|launch|cluster|cloud|k8s|kube|dstack|azure|sagemaker|vertex|workflow/i.test(near)
}

/** False for a text that certainly asks for no GPU. */
export function mayAsk(text: string): boolean {
  return text.includes('#SBATCH') || /\baccelerators:/.test(text) || mayAskByKeys(text)
}

/** The same of Kubernetes' manifests and other jobs that name a GPU, or a machine that has one, by keys of their own. */
export function mayAskByKeys(text: string): boolean {
  return /\bgpu:|nvidia\.com\/gpu|gke-accelerator|instance-gpu-name|instance[_-]?type|vm_size|machine_?type|accelerator_?type/i.test(
    text,
  )
}

/** Whether it may hold commands: under `run`, `command` and their like. */
function mayRun(text: string): boolean {
  return /^ *(?:- +)?(?:run|commands?|args|script|entrypoint|cmd) *:/m.test(text)
}

/** The same of a SkyPilot task. */
export function mayBeSkyPilot(text: string): boolean {
  return /^run:/m.test(text) && /\baccelerators:/.test(text)
}

/** False for YAML that certainly starts no training. */
export function mayBeJob(text: string): boolean {
  return mayRun(text) && mayLaunch(text)
}
