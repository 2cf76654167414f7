/** How many processes, and so GPUs, a launch starts by its own words. */

import { namedGpus, VISIBLE_GPUS } from '../fields/cuda-visible-devices.ts'
import { plain } from '../text/quote.ts'
import type { ShellCommand } from './commands.ts'
import { hangsOnMachine } from './counted-list.ts'
import type { Given } from './given.ts'
import type { Launch, Processes } from './launch.ts'
import type { Argument } from './options.ts'

export function counted(given: Given | undefined, by: string, nodes: Given | undefined = undefined): Processes {
  if (given === undefined) return { kind: 'unsaid' }
  for (const each of [given, nodes])
    if (each?.why !== undefined) return isLeftOpen(each) ? { kind: 'unsaid' } : { kind: 'open', why: each.why }
  const machines = nodes === undefined ? 1 : Number(nodes.text)
  if (!/^\d{1,5}$/.test(given.text) || !Number.isInteger(machines) || machines < 1)
    return { kind: 'open', why: `${plain(by)} is ${plain(given.text)}` }
  const { from, remarks } = given
  return { kind: 'count', count: Number(given.text) * machines, by, from, remarks }
}

/** To whoever starts it, or to the machine: the file says no more than one without a number. */
function isLeftOpen({ text, isArgument, isNowhereSet }: Given): boolean {
  return isArgument === true || isNowhereSet === true || hangsOnMachine(text)
}

/** `CUDA_VISIBLE_DEVICES=0,1`: so many at most, and where it names one, one. `most`: as many as are processes for certain. */
export function visible(command: ShellCommand, most = Number.POSITIVE_INFINITY): Processes {
  const given = command.variable(VISIBLE_GPUS)
  const count = given === undefined || given.why !== undefined ? undefined : namedGpus(given.text)
  if (given === undefined || count === undefined) return { kind: 'unsaid' }
  return { kind: count > most ? 'visible' : 'count', count, by: VISIBLE_GPUS, from: given.from }
}

/** With no GPU where the command hides all of them, whatever its launcher counts. */
export function withoutHidden(launch: Launch, command: ShellCommand): Launch {
  const seen = visible(command)
  return seen.kind === 'count' && seen.count === 0 ? { ...launch, processes: seen } : launch
}

export function torchProcesses(command: ShellCommand) {
  return (own: readonly Argument[]): Processes => {
    const find = (key: string) => own.find(argument => argument.key === key)
    const each = find('nproc_per_node') ?? find('nproc')
    const nodes = find('nnodes')?.values[0]
    if (each === undefined)
      return nodes === undefined ? { kind: 'unsaid' } : counted({ ...nodes, text: '1' }, '--nnodes', nodes)
    const [value] = each.values
    // One process for each GPU that it sees.
    if (value?.why === undefined && /^(?:gpu|auto)$/.test(value?.text ?? '')) return visible(command)
    return counted(value, each.name, nodes)
  }
}

export function accelerateProcesses(command: ShellCommand) {
  return (own: readonly Argument[]): Processes => {
    const onCpu = own.find(({ key, values }) => key === 'cpu' && values.length === 0)
    if (onCpu !== undefined) return { kind: 'count', count: 0, by: onCpu.name, from: onCpu.at }
    const all = own.find(({ key }) => key === 'num_processes')
    if (all !== undefined) return counted(all.values[0], all.name)
    return own.some(({ key }) => key === 'config_file') ? { kind: 'unsaid' } : visible(command)
  }
}

export function deepSpeedProcesses(command: ShellCommand) {
  return (own: readonly Argument[]): Processes => {
    const find = (key: string) => own.find(argument => argument.key === key)
    const nodes = find('num_nodes')?.values[0]
    const each = find('num_gpus')
    if (each !== undefined) return counted(each.values[0], each.name, nodes)
    const include = find('include')?.values[0]
    if (include === undefined) return visible(command)
    if (include.why !== undefined) return { kind: 'open', why: include.why }
    // localhost:0,1@worker-1:0,1
    const slots = include.text.split('@').map(host => host.split(':')[1]?.split(',').length)
    if (slots.some(count => count === undefined)) return { kind: 'open', why: `--include is ${plain(include.text)}` }
    const count = slots.reduce((sum: number, slot) => sum + (slot ?? 0), 0)
    return { kind: 'count', count, by: '--include', from: include.from }
  }
}
