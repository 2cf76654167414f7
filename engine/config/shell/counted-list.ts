/** How a shell script counts the GPUs of a list, `$(echo $DEVICES | tr ',' '\n' | wc -l)`, and those of its machine, `$(nvidia-smi -L | wc -l)`. */
import { wordSet } from '../../base/word-list.ts'

const list = String.raw`(?:echo|printf\s+['"]?%s(?:\\n)?['"]?)\s+"?\$(?:\{(\w+)\}|(\w+))"?`
const counters = [
  String.raw`tr\s+(?:-s\s+)?['"]?,['"]?\s+(?:['"]?\\n['"]?|['"] ['"])\s*\|\s*wc\s+-[lw]`,
  String.raw`awk\s+-F\s*['"]?,['"]?\s+['"]\{\s*print\s+NF;?\s*\}['"]`,
]
const commas = String.raw`(grep\s+-o\s+['"]?,['"]?\s*\|\s*wc\s+-l)`
const counting = new RegExp(
  String.raw`^(?:\$\(|${'`'})\s*${list}\s*\|\s*(?:${counters.join('|')}|${commas})\s*(?:\)|${'`'})$`,
)

export interface CountedList {
  /** Of the variable whose parts, between commas, are counted. */
  readonly name: string
  /** Whether it is the commas that are counted, one less. */
  readonly isOfCommas: boolean
}

/** What a command substitution counts; undefined for any other one. */
export function countedList(substitution: string): CountedList | undefined {
  const [, braced, plain, ofCommas] = counting.exec(substitution) ?? []
  const name = braced ?? plain
  return name === undefined ? undefined : { name, isOfCommas: ofCommas !== undefined }
}

/** Lists that Slurm itself sets to the GPUs of the job, where the script does not (slurm.schedmd.com/sbatch.html, gres.html). */
const ofJob = wordSet('CUDA_VISIBLE_DEVICES SLURM_JOB_GPUS SLURM_STEP_GPUS')
const machine = [
  /^(?:\$\(|`)\s*nvidia-smi\s[^|;&`()]{0,100}\|\s*(?:grep\s[^|;&`()]{0,60}\|\s*)?wc\s+-l\s*(?:\)|`)$/,
  /^(?:\$\(|`)\s*python3?\s+-c\s+["']import torch;?\s*print\(torch\.cuda\.device_count\(\)\)["']\s*(?:\)|`)$/,
]

/** Whether the whole substitution is the number of GPUs that the machine, or the job on it, has. */
export function countsMachine(substitution: string): boolean {
  return machine.some(form => form.test(substitution))
}

/** Whether a value that only a run can tell comes from that number. */
export function hangsOnMachine(substitution: string): boolean {
  const asksDriver = /\bnvidia-smi\b/.test(substitution) && /\bwc -l/.test(substitution)
  return /^\$\([^(]/.test(substitution) && (asksDriver || /\bcuda\.device_count\(\)/.test(substitution))
}

export function isListOfJob(name: string): boolean {
  return ofJob.has(name)
}
