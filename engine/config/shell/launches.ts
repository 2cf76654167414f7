/** Commands that start a training: with which launcher, how many processes, which script or config, and with which arguments. */
import { posix } from 'node:path'
import { wordSet } from '../../word-list.ts'
import { COMMAND } from '../dialects/litgpt/method.ts'
import { COMMAND as OPENRLHF_COMMAND } from '../dialects/openrlhf/options.ts'
import { plain } from '../text/quote.ts'
import type { ShellCommand } from './commands.ts'
import type { Given } from './given.ts'
import {
  accelerateProcesses,
  counted,
  deepSpeedProcesses,
  torchProcesses,
  visible,
  withoutHidden,
} from './processes.ts'

export interface Argument {
  /** Without dashes, with `_` for `-`: `per_device_train_batch_size`. */
  readonly key: string
  /** As written: `--per-device-train-batch-size`. */
  readonly name: string
  /** None for a switch. */
  readonly values: readonly Given[]
  readonly at: number
  /** For the reader of a switch. */
  readonly remarks?: readonly string[]
}

/** What a launcher says about processes. */
export type Processes =
  | { readonly kind: 'count'; readonly count: number; readonly by: string; readonly from: number }
  /** One process, which sees several GPUs. */
  | { readonly kind: 'visible'; readonly count: number; readonly by: string; readonly from: number }
  | { readonly kind: 'open'; readonly why: string }
  | { readonly kind: 'unsaid' }

export interface Launch {
  /** `torchrun`, `llamafactory-cli train`, as the file writes it. */
  readonly launcher: string
  readonly at: number
  readonly target:
    | { readonly kind: 'script'; readonly path: string }
    /** Of a tool that takes its own config. */
    | { readonly kind: 'tool'; readonly tool: Tool }
    | { readonly kind: 'refused'; readonly tool: string }
  /** A script of the repository's own that is taken for the tool's, by its options. */
  readonly copy?: string
  /** Words that are no option: paths of configs. */
  readonly positional: readonly Given[]
  readonly arguments: readonly Argument[]
  /** Words that may be further arguments, which only a run can tell. */
  readonly hidden?: readonly Given[]
  readonly processes: Processes
  readonly accelerateConfig?: Given
}

export type Tool =
  | 'axolotl'
  | 'litgpt'
  | 'llamafactory'
  | 'ms-swift'
  | 'openrlhf'
  | 'torchtitan'
  | 'torchtune'
  | 'ultralytics'
  | 'verl'

/** torchtitan's own script around torchrun. */
const RUN_TRAIN = 'run_train.sh'

const launchers = new Set([
  'python',
  'python3',
  'torchrun',
  'accelerate',
  'deepspeed',
  'llamafactory-cli',
  'axolotl',
  'litgpt',
  'swift',
  'tune',
  'yolo',
  RUN_TRAIN,
])
const refused: ReadonlyMap<string, string> = new Map([
  ['megatron', 'Megatron-SWIFT'],
  ['openrlhf', 'OpenRLHF'],
  ['mlx_lm.lora', 'MLX'],
])
/** What runs another command. */
const wrappers = wordSet(`
  srun nohup time env sudo exec uv uvx poetry pdm conda mamba singularity apptainer ray pipenv run timeout nice numactl stdbuf
  command mpirun
`)
/** As many words of wrappers as are passed over. */
const MAX_WRAPPING = 40

export function launchOf(command: ShellCommand): Launch | undefined {
  const launch = startedLaunch(command)
  return launch && withoutHidden(launch, command)
}

function startedLaunch(command: ShellCommand): Launch | undefined {
  const { words } = command
  const [first] = words
  if (first === undefined) return undefined
  const start = launchers.has(nameOf(first)) || refused.has(nameOf(first)) ? 0 : wrapped(words)
  const name = words[start] && nameOf(words[start])
  if (start < 0 || name === undefined) return undefined
  const rest = words.slice(start + 1)
  const { at } = command
  const tool = refused.get(name)
  if (tool !== undefined) return refusal(tool, rest, name, at)
  switch (name) {
    case 'torchrun':
      return scriptLaunch('torchrun', rest, command, torchProcesses(command))
    case 'python':
    case 'python3':
      return python(rest, command)
    case 'accelerate':
      return rest[0]?.text === 'launch'
        ? scriptLaunch('accelerate launch', rest.slice(1), command, accelerateProcesses(command))
        : undefined
    case 'deepspeed':
      return scriptLaunch('deepspeed', rest, command, deepSpeedProcesses(command))
    case 'llamafactory-cli':
      return rest[0]?.text === 'train'
        ? toolLaunch('llamafactory', 'llamafactory-cli train', rest.slice(1), command)
        : undefined
    case 'axolotl':
      return rest[0]?.text === 'train' ? toolLaunch('axolotl', 'axolotl train', rest.slice(1), command) : undefined
    case 'litgpt':
      return litgpt(rest, name, command)
    case 'swift':
      return swift(rest, name, command)
    case 'tune':
      return rest[0]?.text === 'run' ? torchtune(rest.slice(1), command) : undefined
    case RUN_TRAIN:
      return runTrain(rest, command)
    case 'yolo':
      return rest.some(({ text }) => text === 'train' || text === 'mode=train')
        ? toolLaunch('ultralytics', 'yolo train', rest, command)
        : undefined
    default:
      return undefined
  }
}

function nameOf({ text }: Given): string {
  return posix.basename(text).replace(/^python3\.\d+$/, 'python3')
}

function wrapped(words: readonly Given[]): number {
  if (words[0] === undefined || !wrappers.has(nameOf(words[0]))) return -1
  return words
    .slice(0, MAX_WRAPPING)
    .findIndex((word, index) => index > 0 && (launchers.has(nameOf(word)) || refused.has(nameOf(word))))
}

const trains = /^(?:sft|rlhf|pt|pretrain|finetune|finetune_\w+|train\w*)$/

function refusal(tool: string, rest: readonly Given[], launcher: string, at: number): Launch | undefined {
  const [verb] = rest
  if (verb === undefined || !trains.test(verb.text)) return undefined
  const given = parsed(rest.slice(1), new Set())
  const target = { kind: 'refused', tool } as const
  return { launcher: `${launcher} ${plain(verb.text)}`, at, target, ...given, processes: { kind: 'unsaid' } }
}

/** The word after a launcher's own options: a script, or a module after `-m`. */
function scriptLaunch(
  launcher: string,
  words: readonly Given[],
  command: ShellCommand,
  processesOf: (own: readonly Argument[]) => Processes,
): Launch | undefined {
  const module = words.findIndex(({ text }) => text === '-m' || text === '--module')
  const script = words.findIndex(({ text }) => /\.py$/.test(text))
  const isModule = module >= 0 && (script < 0 || module < script)
  const at = isModule ? module + 1 : script
  const target = words[at]
  if (at < 0 || target === undefined || servesOrGenerates(target)) return undefined
  const own = parsed(words.slice(0, isModule ? module : at), new Set()).arguments
  const rest = parsed(words.slice(at + 1), new Set())
  const config = own.find(({ key }) => key === 'config_file')?.values[0]
  const openRlhf = ofOpenRlhf(target, rest.arguments)
  return {
    launcher,
    at: command.at,
    target: torchtitanTarget(target, rest.arguments) ?? targetOf(target, isModule),
    ...rest,
    ...openRlhf,
    ...(target.text === SWIFT_RLHF && { arguments: withRlhfType(rest.arguments, target) }),
    processes: processesOf(own),
    ...(launcher === 'accelerate launch' && config && { accelerateConfig: config }),
  }
}

/** Modules and scripts of OpenRLHF, and copies of its scripts (before 0.3.1 in examples/), which have options that only it has. */
function ofOpenRlhf(
  target: Given,
  given: readonly Argument[],
): Pick<Launch, 'target' | 'arguments' | 'copy'> | undefined {
  const [, own, text] = /(?:^|[./])(openrlhf[./]cli[./])?(train_\w+?)(?:\.py)?$/.exec(target.text) ?? []
  const hasOptions = ['pretrain', 'micro_train_batch_size'].every(name => given.some(({ key }) => key === name))
  const isCopy = own === undefined && hasOptions && /^train_(?:sft|dpo|rm)$/.test(text ?? '')
  if (text === undefined || (own === undefined && !isCopy)) return undefined
  const command = { key: OPENRLHF_COMMAND, name: target.text, values: [{ ...target, text }], at: target.from }
  return {
    target: { kind: 'tool', tool: 'openrlhf' },
    arguments: [...given, command],
    ...(isCopy && { copy: target.text }),
  }
}

const SWIFT_RLHF = 'swift.cli.rlhf'

const modules: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ['axolotl.cli.train', 'axolotl'],
  ['llamafactory.cli', 'llamafactory'],
  ['llamafactory.launcher', 'llamafactory'],
  ['swift.cli.sft', 'ms-swift'],
  ['swift.cli.pt', 'ms-swift'],
  [SWIFT_RLHF, 'ms-swift'],
  ['verl.trainer.main_ppo', 'verl'],
  // The same workers over other batches of prompts.
  ['recipe.dapo.main_dapo', 'verl'],
  ['verl.trainer.fsdp_sft_trainer', 'verl'],
  ['torchtitan.train', 'torchtitan'],
])

/** Modules and scripts of tools that are not modelled; diffusers' are the names of its example scripts. */
const refusedTargets: readonly (readonly [RegExp, string])[] = [
  [/^openrlhf[./]/, 'OpenRLHF'],
  [/^verl[./]/, 'verl'],
  [/^nemo_rl[./]/, 'NeMo RL'],
  [/^torchtitan[./]/, 'torchtitan'],
  [/^mlx_v?lm(?:\.lora)?$/, 'MLX'],
  [
    /(?:^|\/)(?:train_(?:dreambooth|text_to_image|controlnet|instruct_pix2pix|custom_diffusion|lcm|unconditional)\w*|textual_inversion\w*)\.py$/,
    'diffusers',
  ],
]

/** `openrlhf.cli.serve_rm`, `verl.trainer.main_generation`: no trainings, though they have batch sizes. */
function servesOrGenerates({ text }: Given): boolean {
  const isRefused = refusedTargets.some(([named]) => named.test(text))
  return isRefused && /(?:^|[._/])(?:serve|inference|generation|eval|chat)(?:[._/]|$)/.test(text)
}

function targetOf({ text }: Given, isModule: boolean): Launch['target'] {
  const tool = modules.get(isModule ? text : text.replace(/^\.\//, '').replace(/\.py$/, '').replaceAll('/', '.'))
  if (tool !== undefined) return { kind: 'tool', tool }
  const refusedTool = refusedTargets.find(([named]) => named.test(text))?.[1]
  if (refusedTool !== undefined) return { kind: 'refused', tool: refusedTool }
  return { kind: 'script', path: isModule ? `${text.replaceAll('.', '/')}.py` : text }
}

function python(words: readonly Given[], command: ShellCommand): Launch | undefined {
  const [, second] = words
  const launches = words[0]?.text === '-m' && /^torch\.distributed\.(?:run|launch)$/.test(second?.text ?? '')
  if (launches) return scriptLaunch('python -m torch.distributed.run', words.slice(2), command, torchProcesses(command))
  if (words[0]?.text === '-m' && second?.text === 'swift.cli.main')
    return swift(words.slice(2), 'python -m swift.cli.main', command)
  if (words[0]?.text === '-m' && second?.text === 'litgpt') return litgpt(words.slice(2), 'python -m litgpt', command)
  if (words[0]?.text === '-m' && second?.text === 'accelerate.commands.launch')
    return scriptLaunch('accelerate launch', words.slice(2), command, accelerateProcesses(command))
  return scriptLaunch('python', words, command, () => visible(command, 1))
}

function toolLaunch(tool: Tool, launcher: string, words: readonly Given[], command: ShellCommand): Launch {
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
          : visible(command)
  return { launcher, at: command.at, target: { kind: 'tool', tool }, ...rest, processes: count }
}

/**
 * `litgpt finetune_lora checkpoint_dir --train.micro_batch_size 4`, before 0.4 `litgpt finetune lora`. How many GPUs train it says
 * itself.
 */
function litgpt([verb, ...words]: readonly Given[], launcher: string, command: ShellCommand): Launch | undefined {
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

/** swift/cli/main.py: processes are as many as NPROC_PER_NODE says; one alone divides the model among the GPUs that it sees. */
function swift([verb, ...words]: readonly Given[], launcher: string, command: ShellCommand): Launch | undefined {
  if (verb === undefined || !/^(?:sft|pt|rlhf)$/.test(verb.text)) return undefined
  const launch = toolLaunch('ms-swift', `${launcher} ${verb.text}`, words, command)
  const isDivided =
    launch.processes.kind === 'count' && launch.processes.by === 'CUDA_VISIBLE_DEVICES' && launch.processes.count > 1
  const processes: Processes = isDivided
    ? {
        kind: 'open',
        why: 'without NPROC_PER_NODE ms-swift divides the layers of the model among the GPUs that it sees',
      }
    : launch.processes
  return {
    ...{ ...launch, processes },
    arguments: verb.text === 'rlhf' ? withRlhfType(launch.arguments, verb) : launch.arguments,
  }
}

/** DPO where none is named. */
function withRlhfType(given: readonly Argument[], verb: Given): readonly Argument[] {
  if (given.some(({ key }) => key === 'rlhf_type')) return given
  return [...given, { key: 'rlhf_type', name: '--rlhf_type', values: [{ ...verb, text: 'dpo' }], at: verb.from }]
}

/** Names a config of torchtitan. */
const TORCHTITAN_CONFIG = 'job.config_file'

/** Whatever its train.py is called in a copy. Releases after 0.2.2 have their settings in Python: `--module llama3 --config llama3_8b`. */
function torchtitanTarget({ text }: Given, given: readonly Argument[]): Launch['target'] | undefined {
  const has = (name: string) => given.some(({ key }) => key === name)
  if (has(TORCHTITAN_CONFIG)) return { kind: 'tool', tool: 'torchtitan' }
  const isNewer = /^torchtitan[./]train/.test(text) && has('module')
  return isNewer ? { kind: 'refused', tool: 'torchtitan after 0.2.2' } : undefined
}

/** `CONFIG_FILE=llama3_8b.toml NGPU=4 ./run_train.sh --training.steps 100`: what is not said has defaults in the script. */
function runTrain(words: readonly Given[], command: ShellCommand): Launch | undefined {
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
function torchtune(words: readonly Given[], command: ShellCommand): Launch {
  const all = parsed(words, new Set(['standalone']))
  const own = all.arguments.filter(({ key }) => /^(?:nproc_per_node|nnodes)$/.test(key))
  const processes = own.length > 0 ? torchProcesses(command)(own) : visible(command)
  return { launcher: 'tune run', at: command.at, target: { kind: 'tool', tool: 'torchtune' }, ...all, processes }
}

/** Options with the words that follow them, and the words that are none. `k=v` is an option too, and Hydra's `+k=v`. */
function parsed(words: readonly Given[], switches: ReadonlySet<string>) {
  const positional: Given[] = []
  const hidden: Given[] = []
  const found: { key: string; name: string; values: Given[]; at: number; remarks: readonly string[] }[] = []
  let open: { values: Given[] } | undefined
  for (const word of words) {
    const { text, from } = word
    const [, dashes = '', key, sign, value] = /^(--?|\+{1,2})?([A-Za-z_][\w.-]*)(=)?([\s\S]*)$/.exec(text) ?? []
    const isOption = key !== undefined && (dashes !== '' || sign !== undefined) && word.why === undefined
    const isOpenOption = word.why !== undefined && key !== undefined && sign !== undefined
    // Of an array, under a condition.
    const isDoubted = word.why !== undefined && dashes === '--' && key !== undefined && value === ''
    if ((isOption && (sign !== undefined || value === '')) || isOpenOption || isDoubted) {
      const name = key!.replaceAll('-', '_')
      const option = { key: name, name: `${dashes}${key}`, values: [] as Given[], at: from, remarks: word.remarks }
      found.push(option)
      if (isDoubted) option.values.push(word)
      if (sign !== undefined) {
        const written = value ?? ''
        option.values.push({
          ...word,
          text: written,
          from: word.valueFrom ?? (word.why === undefined ? from + text.length - written.length : from),
        })
      }
      open = sign === undefined && !switches.has(name) ? option : undefined
      continue
    }
    // An option's first value is one, whatever it is.
    if (word.why !== undefined && word.isArgument !== true && (open?.values.length ?? 1) > 0) hidden.push(word)
    else if (text === '--' || text === '') open = undefined
    else if (open !== undefined) open.values.push(word)
    else positional.push(word)
  }
  return { positional, arguments: found, hidden }
}
