/** How the text of a script says that it is started: `accelerate launch --config_file zero2.yaml train.py` in its docstring. */
import { posix } from 'node:path'
import { plain } from '../../text/quote.ts'
import type { Module } from '../syntax/module.ts'

/** Each starts as many processes as its options, or a file that they name, say. */
const launchers = /\b(accelerate\s+launch|torchrun|torch\.distributed\.(?:run|launch)|deepspeed)\s/
/** What makes several processes, or divides a training among them. */
const several =
  /--(?:config_file|config-file|multi_gpu|multi-gpu|use_deepspeed|use_fsdp|deepspeed|(?:num_processes|num-processes|nproc_per_node|nproc-per-node|num_gpus|nnodes|num_machines)[ =](?!1\b))/
const MAX_COMMAND_LINES = 12

/** A sentence for the reader, where a command among its comments or strings starts it on several GPUs. */
export function severalByOwnUsage({ path, text }: Module): string | undefined {
  const name = posix.basename(path)
  if (!text.includes(` ${name}`) && !text.includes(`/${name}`)) return undefined
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const launcher = launchers.exec(line)?.[1]
    if (launcher === undefined) continue
    const words = commandFrom(lines, index).split(/\s+/)
    const isOwn = words.some(word => posix.basename(word) === name)
    if (!isOwn || (launcher !== 'deepspeed' && !several.test(words.join(' ')))) continue
    return `Its own text starts it by ${plain(launcher.replace(/\s+/, ' '))} (line ${index + 1}), on GPUs and with a division of the training that are not read there, so that nothing blocks.`
  }
  return undefined
}

/** A line with those that it continues on, without the comment's marks. */
function commandFrom(lines: readonly string[], first: number): string {
  const parts: string[] = []
  for (const line of lines.slice(first, first + MAX_COMMAND_LINES)) {
    const written = line.replace(/^[\s#>$]+/, '').trimEnd()
    parts.push(written.replace(/\\$/, ''))
    if (!written.endsWith('\\')) break
  }
  return parts.join(' ')
}
