/** Commands that start a training: with which launcher, how many processes, which script or config, and with which arguments. */
import { posix } from 'node:path'
import { wordSet } from '../../base/word-list.ts'
import { COMMAND } from '../dialects/openrlhf/options.ts'
import { plain } from '../text/quote.ts'
import type { ShellCommand } from './commands.ts'
import type { Given } from './given.ts'
import type { Launch, Processes, Tool } from './launch.ts'
import { type Argument, parsed } from './options.ts'
import { accelerateProcesses, deepSpeedProcesses, torchProcesses, visible, withoutHidden } from './processes.ts'
import {
  litgpt,
  RUN_TRAIN,
  runTrain,
  swift,
  toolLaunch,
  torchtitanTarget,
  torchtune,
  trains,
  withRlhfType,
} from './tool-commands.ts'
import { asAccelerate } from './trl-commands.ts'

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
  'trl',
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
  command mpirun eval docker podman docker-compose
`)
/** As many words of wrappers as are passed over. */
const MAX_WRAPPING = 40

export function launchOf(command: ShellCommand): Launch | undefined {
  const launch = startedLaunch(command)
  return launch && withoutHidden(launch, command)
}

function startedLaunch(command: ShellCommand): Launch | undefined {
  const words = handedOver(command.words)
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
    case 'trl':
      return trl(rest, command)
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

function trl(words: readonly Given[], command: ShellCommand): Launch | undefined {
  const started = asAccelerate(words)
  const launch = started && scriptLaunch('accelerate launch', started, command, accelerateProcesses(command))
  return launch && { ...launch, launcher: `trl ${words[0]?.text}` }
}

/** What a script of the team's own is to start, as it hands a job to a cluster: `python submit.py --gpus 8 -- accelerate launch …`. */
function handedOver(words: readonly Given[]): readonly Given[] {
  const at = words.findIndex((word, index) => words[index - 1]?.text === '--' && launchers.has(nameOf(word)))
  return at < 0 ? words : words.slice(at)
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

function refusal(tool: string, rest: readonly Given[], launcher: string, at: number): Launch | undefined {
  const [verb] = rest
  if (verb === undefined || !trains.test(verb.text)) return undefined
  const given = parsed(rest.slice(1), new Set())
  const target = { kind: 'refused', tool } as const
  return { launcher: `${launcher} ${plain(verb.text)}`, at, target, ...given, processes: { kind: 'unsaid' } }
}

/** Options of torchrun and accelerate launch that take no value and stand between `-m` and the module. */
const launcherSwitches = wordSet('standalone no_python run_path multi_gpu use_deepspeed use_fsdp cpu quiet debug')

/** `-m` is a switch of torchrun and accelerate: other options may stand between it and the module. */
function pastOptions(words: readonly Given[], from: number): number {
  let at = from
  while (words[at]?.text.startsWith('-')) {
    const [option = '', value] = words[at]!.text.split('=', 2)
    const isAlone = value !== undefined || launcherSwitches.has(option.replace(/^-+/, '').replaceAll('-', '_'))
    at += isAlone ? 1 : 2
  }
  return at
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
  const at = isModule ? pastOptions(words, module + 1) : script
  const target = words[at]
  if (at < 0 || target === undefined || servesOrGenerates(target)) return undefined
  const before = isModule ? words.slice(0, at).toSpliced(module, 1) : words.slice(0, at)
  const own = parsed(before, launcherSwitches).arguments
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
    ...(launcher === 'accelerate launch' && { accelerateOptions: own, ...(config && { accelerateConfig: config }) }),
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
  const command = { key: COMMAND, name: target.text, values: [{ ...target, text }], at: target.from }
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

/** `openrlhf.cli.serve_rm`, `verl.trainer.main_generation`, `axolotl.cli.inference`: no trainings, though they have batch sizes or configs. */
function servesOrGenerates({ text }: Given): boolean {
  if (/^axolotl\.cli\.(?!train$)/.test(text)) return true
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
  if (words[0]?.text === '-m' && (second?.text === 'swift' || second?.text === 'swift.cli.main'))
    return swift(words.slice(2), `python -m ${second.text}`, command)
  if (words[0]?.text === '-m' && second?.text === 'litgpt') return litgpt(words.slice(2), 'python -m litgpt', command)
  if (words[0]?.text === '-m' && second?.text === 'accelerate.commands.launch')
    return scriptLaunch('accelerate launch', words.slice(2), command, accelerateProcesses(command))
  return scriptLaunch('python', words, command, () => visible(command, 1))
}
