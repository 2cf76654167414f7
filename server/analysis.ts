/** The types of /v1/analyses: requests, and the states and events of an analysis. */
import * as z from 'zod'
import { problem } from '../engine/base/errors.ts'
import { gpus } from '../engine/gpus/catalogue.ts'
import { engines } from '../engine/probes/engines.ts'
import { provenance, trial } from '../engine/probes/trial.ts'
import { report } from '../engine/report/schema.ts'
import { strategyNames } from '../engine/search/strategy.ts'
import { defaultLoraTargets } from '../engine/training/choices.ts'
import { trainingSpec } from '../engine/training/spec.ts'
import { strictFields } from './fault.ts'

/** Characters. Real training configs have a few thousand. */
export const MAX_CONFIG_CHARACTERS = 100_000

/** As many as a report holds; a sweep that would need more is stopped. */
export const MAX_TRIALS = 1_000

/** Above any real price; the same limit as in a repository's settings. */
const MAX_STEP_SIZE = 1_000

const { model: modelName, lora, ...otherFields } = trainingSpec.shape

/** All spec fields besides the model. Absent ones are as in the config, or for a bare model as most people train it. */
export const specChanges = strictFields({
  ...otherFields,
  lora: strictFields({
    ...lora.unwrap().shape,
    targets: lora.unwrap().shape.targets.default([...defaultLoraTargets]),
    dropout: lora.unwrap().shape.dropout.default(0),
  }),
}).partial()
export type SpecChanges = z.infer<typeof specChanges>

const pastedConfig = strictFields({
  /** The extension determines the parser; the tool is recognised by content. */
  fileName: z
    .string()
    .max(200)
    .regex(
      /^[\w ./@+-]*\.(?:yaml|yml|json|sh|bash|slurm|sbatch|(?:py|ipynb)(?::\d{1,7})?)$/,
      'must end in .yaml, .yml, .json, .py, .ipynb, .sh, .bash, .slurm or .sbatch; of a file that starts several trainings, with the line of one: train.py:41',
    ),
  text: z.string().min(1).max(MAX_CONFIG_CHARACTERS),
})

export const analysisRequest = strictFields({
  /** A Hub id or an alias of the catalogue (`bert`). Either this or `config`. */
  model: modelName.optional(),
  config: pastedConfig.optional(),
  spec: specChanges.default({}),
  /**
   * For a bare model, the fixed defaults of `spec`: a plain loop in fp32 with 16 × 128 tokens. If absent, as most
   * people train it.
   */
  earlierDefaults: z.boolean().optional(),
  /** A GPU of the catalogue. If absent: this machine's, else the server's default. */
  gpu: z.enum(gpus.map(({ id }) => id)).optional(),
  /** `auto`: the best engine that this machine has for the GPU. */
  engine: z.enum(['auto', ...engines]).default('auto'),
  strategy: z.enum(strategyNames).default('predict-verify'),
  /** Every size up to it is tried, then its multiples. */
  stepSize: z.int().min(1).max(MAX_STEP_SIZE).optional(),
  /** Per GPU; the catalogue's price by default. */
  pricePerHourUsd: z.number().positive().max(10_000).optional(),
  /** Wall-clock hours of a run at the current batch. */
  hoursPerRun: z.number().positive().max(100_000).optional(),
  runsPerYear: z.number().positive().max(1_000_000).optional(),
}).refine(({ model, config }) => (model === undefined) !== (config === undefined), {
  path: ['model'],
  message: 'give either a model or a config',
})
export type AnalysisRequest = z.infer<typeof analysisRequest>
/** As clients write it: fields with defaults may be absent. */
export type AnalysisRequestInput = z.input<typeof analysisRequest>

/** The engine of the trials, known once it has started. */
export const probing = z.object({
  engine: z.enum(engines),
  provenance,
  device: z.object({
    name: z.string(),
    totalBytes: z.number().min(0),
    /** Total memory less the CUDA context: the limit for trials. */
    usableBytes: z.number().min(0),
    /** Versions and driver, in words; empty for the estimate. */
    software: z.string(),
  }),
  /** The spec that is swept, with every default filled in. */
  spec: trainingSpec,
})
export type Probing = z.infer<typeof probing>

const problems = z.array(problem).min(1).max(50)
const time = z.iso.datetime()

const common = {
  /** Unguessable: whoever has it may see the analysis. */
  id: z.string(),
  request: analysisRequest,
  createdAt: time,
}
const ran = {
  ...common,
  /** Absent if it never left the queue. */
  startedAt: time.optional(),
  probing: probing.optional(),
  /** In the order in which they ran. A size that was timed again is listed twice. */
  trials: z.array(trial),
}

/** An analysis as it stands. */
export const analysis = z.discriminatedUnion('state', [
  /** `position` 1 is the next to run. */
  z.object({ ...common, state: z.literal('queued'), position: z.int().min(1) }),
  z.object({ ...ran, state: z.literal('running') }),
  /** The report has exactly one config, and it is analysed. */
  z.object({ ...ran, state: z.literal('done'), finishedAt: time, report }),
  z.object({ ...ran, state: z.literal('failed'), finishedAt: time, problems }),
  z.object({ ...ran, state: z.literal('cancelled'), finishedAt: time }),
])
export type Analysis = z.infer<typeof analysis>

const event = {
  /** Starts at 1 for each analysis: the id of the server-sent event. */
  sequence: z.int().min(1),
  at: time,
}

/** The events of an analysis, in order. The last is `done`, `failed` or `cancelled`. */
export const analysisEvent = z.discriminatedUnion('kind', [
  /** Sent again when the position changes. */
  z.object({ ...event, kind: z.literal('queued'), position: z.int().min(1) }),
  z.object({ ...event, kind: z.literal('started') }),
  z.object({ ...event, kind: z.literal('probing'), probing }),
  /** One line for people. */
  z.object({ ...event, kind: z.literal('log'), text: z.string() }),
  z.object({ ...event, kind: z.literal('trial'), trial }),
  z.object({ ...event, kind: z.literal('done'), report }),
  z.object({ ...event, kind: z.literal('failed'), problems }),
  z.object({ ...event, kind: z.literal('cancelled') }),
])
export type AnalysisEvent = z.infer<typeof analysisEvent>

type WithoutPlace<Event> = Event extends AnalysisEvent ? Omit<Event, keyof typeof event> : never
/** An event without its sequence number. */
export type Happening = WithoutPlace<AnalysisEvent>
export type Ending = Extract<Happening, { kind: 'done' | 'failed' | 'cancelled' }>
/** Events that the run itself emits. */
export type Progress = Extract<Happening, { kind: 'probing' | 'log' | 'trial' }>

/** Whether it is the last event. */
export function isFinal<Any extends Happening>(happening: Any): happening is Extract<Any, { kind: Ending['kind'] }> {
  const { kind } = happening
  return kind === 'done' || kind === 'failed' || kind === 'cancelled'
}
