/** What can be told of a file that starts programs before anything is loaded that parses it. */
import { posix } from 'node:path'

/** Shell scripts, batch jobs, Makefiles, justfiles, Dockerfiles. */
export function isLauncherPath(path: string): boolean {
  return isLauncherName(posix.basename(path))
}

export function isLauncherName(name: string): boolean {
  return (
    /\.(?:sh|bash|slurm|sbatch|mk)$/i.test(name) ||
    /^(?:GNUmakefile|[Mm]akefile|[Jj]ustfile|Dockerfile(?:\.[\w-]+)?|[\w-]+\.Dockerfile)$/.test(name)
  )
}

/** False for a text that certainly starts no training. Takes linear time, and parses nothing. */
export function mayLaunch(text: string): boolean {
  return /\b(?:torchrun|torch\.distributed\.(?:run|launch)|accelerate|deepspeed|llamafactory-cli|axolotl|tune\s+run|yolo|swift|litgpt|trl|openrlhf|run_train\.sh|python3?)\b|%run /.test(
    text,
  )
}
