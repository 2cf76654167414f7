/**
 * `memorymark validate-backward` and `validate-compile`: checks that the backward pass runs, and whether torch.compile
 * is worth it.
 */
import { MemoryMarkError } from '../engine/base/errors.ts'
import { formatGib } from '../engine/base/units.ts'
import { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import { describeMachine } from '../engine/probes/device.ts'
import { deviceKinds } from '../engine/probes/device-kind.ts'
import { engineOn } from '../engine/probes/open-probe.ts'
import { TfjsProbe } from '../engine/probes/tfjs/probe.ts'
import type { Provenance } from '../engine/probes/trial.ts'
import { askCompilation, askHalves, type Compilation, type Halves, tfjsHalves } from '../engine/probes/validation.ts'
import { type Answer, PythonWorker } from '../engine/probes/worker.ts'
import type { Subject } from '../engine/subject.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import { numberFlag, oneOf, parseFlags } from './arguments.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { print, printJson } from './print.ts'
import { pythonCommand, pythonOptions } from './python.ts'
import { type SpecFlags, specOptions } from './spec-flags.ts'
import { readSubject } from './subject.ts'

/** The ratio of peaks was 3.34 on an A10 with the earlier tool. A ratio near 1 means that there is no backward pass. */
const LEAST_RATIO = 1.5

const DEFAULT_STEPS = 10
const MAX_STEPS = 1_000

export async function validateBackward(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    ...specOptions,
    engine: { type: 'string' },
    ...pythonOptions,
    json: { type: 'boolean' },
  })
  const subject = await read(positionals, values)
  const { spec, model } = subject
  const named = oneOf('--engine', values.engine, ['auto', ...halvingEngines]) ?? 'auto'
  const { forwardPeakBytes, forwardBackwardPeakBytes, provenance } = await halvesOf(
    subject,
    named,
    pythonCommand(values.python),
  )
  const ratio = forwardBackwardPeakBytes / forwardPeakBytes
  const runs = ratio >= LEAST_RATIO
  const halves = { forwardPeakBytes, forwardBackwardPeakBytes }
  if (values.json)
    printJson({ model: model.id, batchSize: spec.microBatch, provenance, ...halves, ratio, backwardRuns: runs })
  else print(backwardWords(halves, ratio, runs, `${model.id} at batch ${spec.microBatch}, ${provenance}`))
  return runs ? 0 : 1
}

/** Ends the limited process before anything runs. */
async function read(positionals: readonly string[], values: SpecFlags): Promise<Subject> {
  await using engine = openEngine()
  return await readSubject(positionals, values, engine)
}

const halvingEngines = ['trace', 'torch', 'tfjs'] as const
type HalvingEngine = (typeof halvingEngines)[number]

/** In eval mode and without an optimizer, so that the ratio shows only the backward pass. */
async function halvesOf(
  { spec: written, model: { config } }: Subject,
  named: HalvingEngine | 'auto',
  python: string,
): Promise<Halves & { provenance: Provenance }> {
  const spec: TrainingSpec = { ...written, step: 'forward-backward' }
  const engine = named === 'auto' ? await memoryEngine(spec, python) : named
  if (engine === 'tfjs') {
    const footprints = new FootprintCache()
    await using probe = await TfjsProbe.open({ spec, config, footprints, gpu: defaultGpu, python })
    return { ...(await tfjsHalves(probe, spec.microBatch)), provenance: probe.provenance }
  }
  await using worker = new PythonWorker(python)
  const answer = await askHalves(worker, engine, spec, config)
  return { ...doneOrThrow(answer, 'validate-backward'), provenance: engine === 'torch' ? 'measured' : 'traced' }
}

function backwardWords(
  { forwardPeakBytes, forwardBackwardPeakBytes }: Halves,
  ratio: number,
  runs: boolean,
  subject: string,
): string {
  return [
    subject,
    `forward               ${formatGib(forwardPeakBytes)}`,
    `forward and backward  ${formatGib(forwardBackwardPeakBytes)}, ${ratio.toFixed(2)}× the forward pass`,
    runs
      ? 'The backward pass runs: memory for activations and gradients grows with the batch.'
      : 'The batch is too small to tell, or the backward pass is not running: try a larger one.',
  ].join('\n')
}

export async function validateCompile(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    ...specOptions,
    device: { type: 'string' },
    steps: { type: 'string' },
    ...pythonOptions,
    json: { type: 'boolean' },
  })
  const { spec, model } = await read(positionals, values)
  const steps = numberFlag('--steps', values.steps, { integer: true, max: MAX_STEPS }) ?? DEFAULT_STEPS
  const device = oneOf('--device', values.device, deviceKinds)
  await using worker = new PythonWorker(pythonCommand(values.python))
  const answer = await askCompilation(worker, device, steps, spec, model.config)
  const compilation = doneOrThrow(answer, 'validate-compile')
  const breakEvenSteps = breakEven(compilation)
  if (values.json) printJson({ model: model.id, batchSize: spec.microBatch, ...compilation, breakEvenSteps })
  else print(compileWords(compilation, breakEvenSteps, `${model.id} at batch ${spec.microBatch}, measured`))
  return 0
}

/** Steps after which compilation has paid off; null if it never does. */
export function breakEven({ eager, compiled }: Compilation): number | null {
  const saved = eager.laterMillis - compiled.laterMillis
  return saved <= 0 ? null : Math.max(0, Math.ceil((compiled.firstMillis - eager.firstMillis) / saved))
}

function compileWords({ eager, compiled }: Compilation, breakEvenSteps: number | null, subject: string): string {
  const row = (name: string, { firstMillis, laterMillis }: Compilation['eager']) =>
    `${name.padEnd(9)} first step ${firstMillis.toFixed(0)} ms, later steps ${laterMillis.toFixed(1)} ms`
  return [
    subject,
    row('eager', eager),
    row('compiled', compiled),
    breakEvenSteps === null
      ? 'Compilation does not pay off here: the compiled step is no faster.'
      : `Compilation pays off after ${breakEvenSteps} steps. A trial runs only a few, so trials are eager.`,
  ].join('\n')
}

async function memoryEngine({ framework }: TrainingSpec, python: string): Promise<HalvingEngine> {
  if (framework === 'tensorflow.js') return 'tfjs'
  const machine = await describeMachine(python)
  const counts = machine.kind === 'python' && machine.device.kind === 'cuda'
  return counts && engineOn(machine) === 'torch' ? 'torch' : 'trace'
}

function doneOrThrow<T>(answer: Answer<T>, command: string): T {
  if (answer.kind === 'done') return answer.result
  const why = answer.kind === 'timed-out' ? `no answer within ${answer.afterMillis / 1_000} s` : answer.message
  throw new MemoryMarkError({
    code: 'check-failed',
    message: `${command} could not run: ${why}`.slice(0, 2_000),
    fix: 'Run `memorymark doctor` to see what this machine has and what to install.',
  })
}
