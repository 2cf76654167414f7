/** `memorymark doctor`: what this machine has, which engine `auto` chooses, and what to install for a better one. */
import { formatGib } from '../engine/base/units.ts'
import { describeMachine, type Machine, softwareOf, type TorchDevice } from '../engine/probes/device.ts'
import { engineOn } from '../engine/probes/open-probe.ts'
import { describeTfjs } from '../engine/probes/tfjs/probe.ts'
import { plainText } from '../engine/render/plain.ts'
import { wrap } from '../engine/render/terminal-page.ts'
import { parseFlags } from './arguments.ts'
import type { ExitCode } from './exit-code.ts'
import { lineLength, print, printJson } from './print.ts'
import { pythonCommand, pythonOptions } from './python.ts'

export async function doctor(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { ...pythonOptions, json: { type: 'boolean' } })
  const python = pythonCommand(values.python)
  const [machine, tfjs] = await Promise.all([describeMachine(python), describeTfjs()])
  const engine = engineOn(machine)
  if (values.json) printJson({ node: process.version, interpreter: python, machine, engine, tfjs })
  else print(page(python, machine, engine, tfjs))
  return 0
}

type Tfjs = Awaited<ReturnType<typeof describeTfjs>>

function page(python: string, machine: Machine, engine: ReturnType<typeof engineOn>, tfjs: Tfjs): string {
  const toDo = [...advice(machine), ...quantisingAdvice(machine), ...tfjsAdvice(tfjs)]
  const rows: readonly Row[] = [
    ['node', process.version],
    ...machineRows(python, machine),
    [
      'tensorflow.js',
      'why' in tfjs ? `cannot run here: ${plainText(lastLine(tfjs.why), 300)}` : `${tfjs.label}, ${tfjs.provenance}`,
    ],
    ['engine auto', `${engine}: ${meaning[engine]}`],
    ...toDo.map((line): Row => ['to do', line]),
  ]
  return rows
    .map(([name, text]) => name.padEnd(INDENT.length) + wrap(text, INDENT, lineLength()).trimStart())
    .join('\n')
}

type Row = readonly [name: string, text: string]

const INDENT = ' '.repeat('tensorflow.js '.length)

const meaning: Readonly<Record<ReturnType<typeof engineOn>, string>> = {
  estimate: 'memory and speed are modelled',
  trace: "memory from PyTorch's own graph, without a GPU; speed is modelled",
  torch: 'memory and speed are measured',
}

function machineRows(python: string, machine: Machine): readonly Row[] {
  if (machine.kind === 'no-python')
    return [['python', `${python}: no PyTorch. ${plainText(lastLine(machine.why), 300)}`]]
  return [
    ['python', `${python}: ${machine.python}`],
    ['libraries', `${softwareOf(machine)}${machine.hasBitsandbytes ? ', bitsandbytes' : ''}`],
    ['device', deviceWords(machine.device)],
  ]
}

function deviceWords(device: TorchDevice): string {
  switch (device.kind) {
    case 'cuda':
      return `${device.count > 1 ? `${device.count} × ` : ''}${device.name}, ${formatGib(device.totalBytes)}, of which the CUDA context uses ${formatGib(device.contextBytes)}`
    case 'mps':
      return `${device.name}, ${formatGib(device.totalBytes)}`
    case 'cpu':
    case 'none':
      return 'neither CUDA nor MPS'
    case 'broken':
      return `a GPU that PyTorch cannot start: ${plainText(lastLine(device.why), 300)}`
  }
}

function tfjsAdvice(tfjs: Tfjs): string[] {
  if (!('why' in tfjs) && tfjs.provenance === 'measured') return []
  return ['For training in TensorFlow.js, install @tensorflow/tfjs-node-gpu, so that `tfjs` can measure.']
}

/** 4-bit and 8-bit base models need bitsandbytes. */
function quantisingAdvice(machine: Machine): string[] {
  if (machine.kind === 'no-python' || machine.hasBitsandbytes) return []
  return ['pip install bitsandbytes, so that configs with 4-bit and 8-bit base models can be traced or measured too.']
}

function advice(machine: Machine): string[] {
  if (machine.kind === 'no-python') {
    return [
      'pip install torch transformers, and name that interpreter by --python or MEMORYMARK_PYTHON, so that `trace` can run.',
    ]
  }
  switch (machine.device.kind) {
    case 'cuda':
    case 'mps':
      return []
    case 'cpu':
    case 'none':
      return ['On a machine with an NVIDIA GPU, install a CUDA build of torch, so that `torch` can measure.']
    case 'broken':
      return [
        'Install the driver that this build of torch needs, or a build for this driver, so that `torch` can measure.',
      ]
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
