/** Commands by which tools start trainings of their own, and options that tell such a training: LitGPT, ms-swift, torchtitan, torchtune. */
import { COMMAND } from '../dialects/litgpt/method.ts'
import { VISIBLE_GPUS } from '../fields/cuda-visible-devices.ts'
import { plain } from '../text/quote.ts'
import type { ShellCommand } from './commands.ts'
import type { Given } from './given.ts'
import type { Launch, Processes, Tool } from './launch.ts'
import { type Argument, parsed } from './options.ts'
import { counted, torchProcesses, visible } from './processes.ts'

/** The word after a tool's name with which it trains. */
export const trains = /^(?:sft|rlhf|pt|pretrain|finetune|finetune_\w+|train\w*)$/

/** torchtitan's own script around torchrun. */
export const RUN_TRAIN = 'run_train.sh'

/** A tool's own command, with how many processes it starts. */
export function toolLaunch(tool: Tool, launcher: string, words: readonly Given[], command: ShellCommand): Launch {
  const rest = parsed(words, new Set())
  const given = (key: string) => rest.arguments.find(argument => argument.key === key)
  const all = given('num_processes')
  const each = given('nproc_per_node')
  const env = command.variable('NPROC_PER_NODE')
  // Variables of LLaMA-Factory's launcher.py and ms-swift's cli/main.py.
  const count =
    all !== undefined
      ? counted(all.values[0], all.name)
      : each !== undefined
        ? counted(each.values[0], each.name, given('nnodes')?.values[0])
        : env !== undefined
          ? counted(env, 'NPROC_PER_NODE', command.variable('NNODES'))
          : onMachines(tool, command)
  return { launcher, at: command.at, target: { kind: 'tool', tool }, ...rest, processes: count }
}

/** `NNODES=2` alone: LLaMA-Factory starts a process for each GPU of every machine (launcher.py), and ms-swift's torchrun one a machine. */
function onMachines(tool: Tool, command: ShellCommand): Processes {
  const machines = command.variable('NNODES')
  const seen = visible(command)
  if (machines === undefined) return seen
  if (tool === 'ms-swift') return counted({ ...machines, text: '1' }, 'NNODES', machines)
  const isCounted = tool === 'llamafactory' && seen.kind === 'count'
  return isCounted ? counted({ ...machines, text: `${seen.count}` }, seen.by, machines) : seen
}

/**
 * `litgpt finetune_lora checkpoint_dir --train.micro_batch_size 4`, before 0.4 `litgpt finetune lora`. How many GPUs train it says
 * itself.
 */
export function litgpt(
  [verb, ...words]: readonly Given[],
  launcher: string,
  command: ShellCommand,
): Launch | undefined {
  if (verb === undefined || !trains.test(verb.text)) return undefined
  const [method] =
    verb.text === 'finetune' && /^(?:lora|full|adapter|adapter_v2)$/.test(words[0]?.text ?? '') ? words : []
  const name = `${launcher} ${plain(verb.text)}${method === undefined ? '' : ` ${method.text}`}`
  const { processes: _, ...launch } = toolLaunch('litgpt', name, words.slice(method === undefined ? 0 : 1), command)
  const text = method === undefined ? verb.text : `${verb.text}_${method.text}`
  const given = (key: string, value: Given): Argument => ({ key, name: key, values: [value], at: value.from })
  const model = launch.positional.find(word => !/\.ya?ml$/.test(word.text))
  const isNamed = launch.arguments.some(({ key }) => key === 'checkpoint_dir')
  return {
    ...launch,
    arguments: [
      ...launch.arguments,
      { ...given(COMMAND, { ...verb, text }), name },
      ...(model === undefined || isNamed ? [] : [given('checkpoint_dir', model)]),
    ],
    processes: { kind: 'unsaid' },
  }
}

/**
 * swift/cli/main.py: processes are as many as NPROC_PER_NODE says. Where they see more GPUs than they are, each divides the model among
 * its share of them (swift/utils/env.py is_mp).
 */
export function swift([verb, ...words]: readonly Given[], launcher: string, command: ShellCommand): Launch | undefined {
  if (verb === undefined || !/^(?:sft|pt|rlhf)$/.test(verb.text)) return undefined
  const launch = toolLaunch('ms-swift', `${launcher} ${verb.text}`, words, command)
  const why = whyDivided(launch.processes, command)
  return {
    ...launch,
    processes: why === undefined ? launch.processes : { kind: 'open', why },
    arguments: verb.text === 'rlhf' ? withRlhfType(launch.arguments, verb) : launch.arguments,
  }
}

function whyDivided(processes: Processes, command: ShellCommand): string | undefined {
  if (processes.kind !== 'count') return undefined
  if (processes.by === VISIBLE_GPUS)
    return processes.count > 1
      ? 'without NPROC_PER_NODE ms-swift divides the layers of the model among the GPUs that it sees'
      : undefined
  const [each, seen] = [command.variable('NPROC_PER_NODE'), visible(command)]
  const isShared = seen.kind === 'count' && each !== undefined && seen.count >= 2 * Number(each.text)
  return isShared
    ? `its processes see ${seen.count} GPUs and are ${plain(each.text)}, and ms-swift divides the layers of the model among the share of each`
    : undefined
}

/** DPO where none is named. */
export function withRlhfType(given: readonly Argument[], verb: Given): readonly Argument[] {
  if (given.some(({ key }) => key === 'rlhf_type')) return given
  return [...given, { key: 'rlhf_type', name: '--rlhf_type', values: [{ ...verb, text: 'dpo' }], at: verb.from }]
}

/** Names a config of torchtitan. */
const TORCHTITAN_CONFIG = 'job.config_file'

/** Whatever its train.py is called in a copy. Releases after 0.2.2 have their settings in Python: `--module llama3 --config llama3_8b`. */
export function torchtitanTarget({ text }: Given, given: readonly Argument[]): Launch['target'] | undefined {
  const has = (name: string) => given.some(({ key }) => key === name)
  if (has(TORCHTITAN_CONFIG)) return { kind: 'tool', tool: 'torchtitan' }
  const isNewer = /^torchtitan[./]train/.test(text) && has('module')
  return isNewer ? { kind: 'refused', tool: 'torchtitan after 0.2.2' } : undefined
}

/** `CONFIG_FILE=llama3_8b.toml NGPU=4 ./run_train.sh --training.steps 100`: what is not said has defaults in the script. */
export function runTrain(words: readonly Given[], command: ShellCommand): Launch | undefined {
  const config = command.variable('CONFIG_FILE')
  if (config === undefined) return undefined
  const rest = parsed(words, new Set())
  const named = { key: TORCHTITAN_CONFIG, name: 'CONFIG_FILE', values: [config], at: config.from }
  return {
    launcher: RUN_TRAIN,
    at: command.at,
    target: { kind: 'tool', tool: 'torchtitan' },
    ...rest,
    arguments: [...rest.arguments, named],
    processes: counted(command.variable('NGPU'), 'NGPU'),
  }
}

/** `tune run [--nproc_per_node 4] recipe --config x k=v` */
export function torchtune(words: readonly Given[], command: ShellCommand): Launch {
  const all = parsed(words, new Set(['standalone']))
  const own = all.arguments.filter(({ key }) => /^(?:nproc_per_node|nnodes)$/.test(key))
  const processes = own.length > 0 ? torchProcesses(command)(own) : visible(command)
  return { launcher: 'tune run', at: command.at, target: { kind: 'tool', tool: 'torchtune' }, ...all, processes }
}
