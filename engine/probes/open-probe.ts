/** Opens the probe that is asked for, or the best that a machine has. */
import { MemoryMarkError } from '../base/errors.ts'
import { beyondTorch, beyondTrace } from '../estimate/error-band.ts'
import { familyOf } from '../models/architecture.ts'
import type { Framework } from '../training/choices.ts'
import { describeMachine, gpusOf, type Machine } from './device.ts'
import type { Engine } from './engines.ts'
import { EstimatingProbe } from './estimating-probe.ts'
import type { Probe, ProbeContext } from './probe.ts'
import { TfjsProbe } from './tfjs/probe.ts'
import { TorchProbe } from './torch.ts'
import { TraceProbe } from './trace.ts'

type Opener = (context: ProbeContext) => Promise<Probe>

const openers: Record<Engine, Opener> = {
  estimate: async context => new EstimatingProbe(context),
  trace: TraceProbe.open,
  torch: TorchProbe.open,
  tfjs: TfjsProbe.open,
}

/** Throws a MemoryMarkError where the machine lacks what the engine needs. */
export async function openProbe(engine: Engine | 'auto', context: ProbeContext): Promise<Probe> {
  const { framework } = context.spec
  const taken = engine === 'auto' ? await bestEngine(context) : engine
  if ((taken === 'tfjs') !== (framework === 'tensorflow.js')) throw otherFramework(taken, framework)
  const beyond = beyondEngine(taken, context)
  if (beyond !== undefined) throw notCovered(taken, beyond)
  return openers[taken](context)
}

async function bestEngine({ spec, config, python, machine, log }: ProbeContext): Promise<Engine> {
  if (spec.framework === 'tensorflow.js') return 'tfjs'
  if (beyondTorch(spec) !== undefined || familyOf(config).codeFrom !== undefined) return 'estimate'
  const found = machine ?? (await describeMachine(python))
  if (found.kind === 'python' && found.device.kind === 'broken') log?.(notStarted(found.device.why))
  const isLacking = spec.quantization !== undefined && found.kind === 'python' && !found.hasBitsandbytes
  const best = isLacking ? 'estimate' : engineOn(found)
  // The trace covers one GPU, and a multi-GPU config is not measured on fewer GPUs.
  return spec.gpus === 1 || (best === 'torch' && gpusOf(found) >= spec.gpus) ? best : 'estimate'
}

function notStarted(why: string): string {
  return `PyTorch cannot start this machine's GPU, so that nothing is measured: ${why}`
}

/** A figure from a different step must not be called traced or measured. */
function beyondEngine(engine: Engine, { spec, config }: ProbeContext): string | undefined {
  const source = familyOf(config).codeFrom
  const outside =
    source && (source === 'ultralytics' ? "Ultralytics' models" : 'models whose code is published with the checkpoint')
  switch (engine) {
    case 'trace':
      return outside ?? beyondTrace(spec)
    case 'torch':
      return outside ?? beyondTorch(spec)
    case 'estimate':
    case 'tfjs':
      return undefined
  }
}

/** The engine that `auto` uses for PyTorch: a real GPU if there is one, else PyTorch's graph, else our model of it. */
export function engineOn(machine: Machine): Exclude<Engine, 'tfjs'> {
  if (machine.kind === 'no-python') return 'estimate'
  return machine.device.kind === 'cuda' || machine.device.kind === 'mps' ? 'torch' : 'trace'
}

function notCovered(engine: Engine, what: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'beyond-engine',
    field: '--engine',
    message: `the ${engine} engine does not support ${what}`,
    fix: 'Use --engine estimate.',
  })
}

/** The same model needs almost ten times the memory in TensorFlow.js, so one framework's engines cannot stand in for the other's. */
function otherFramework(engine: Engine, framework: Framework): MemoryMarkError {
  return new MemoryMarkError({
    code: 'engine-of-other-framework',
    field: '--engine',
    message: `the ${engine} engine cannot run a ${framework} config`,
    fix: `Use --engine auto${engine === 'tfjs' ? ', or --framework tensorflow.js if the training code is in TensorFlow.js' : ''}.`,
  })
}
