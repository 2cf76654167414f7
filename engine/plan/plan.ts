/**
 * Plans a training: every GPU, number of GPUs and sharding strategy that fits, with its cost. Memory is estimated and
 * throughput modelled, each with its band; prices are the catalogue's or the team's.
 */
import { MemoryMarkError, type Problem } from '../base/errors.ts'
import type { Calibration } from '../calibration/correction.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { type Gpu, hasSpeed, type SpeedyGpu } from '../gpus/catalogue.ts'
import { supportsCheckpointing } from '../models/architecture.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import { EstimateProbe } from '../probes/estimate.ts'
import { powersOfTwo } from '../search/powers-of-two.ts'
import { effectiveBatch, modelCopies } from '../training/batches.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { BARE_EFFECTIVE_BATCH, bareTraining } from './bare-model.ts'
import { UndividedSteps } from './bound.ts'
import { type ClosestRow, closestRow } from './closest.ts'
import { type Method, methodsFor, specWith } from './methods.ts'
import { bestRows, type Planning } from './on-card.ts'
import { byCost, type PlanRow, undominated } from './row.ts'
import { notPlanned, refuseUnplannable, toolOf } from './strategy.ts'

/** Plain data, so that it can be sent to another process. */
export interface PlanOptions {
  readonly cards: readonly Gpu[]
  /** The most GPUs that may train together; one, two, four and so on up to it are tried. */
  readonly maxGpus: number
  /** Replaces the spec's own effective batch. */
  readonly effectiveBatch?: number | undefined
  /** The methods to plan for a bare model; all by default. A config says its method itself. */
  readonly methods?: readonly Method[] | undefined
  /** Spec fields given by hand; a bare model leaves the others open. */
  readonly said?: readonly (keyof TrainingSpec)[] | undefined
  readonly samplesPerRun?: number | undefined
  /** The GPU and duration of a run today, if known. */
  readonly now?: { readonly gpu: Gpu; readonly hoursPerRun: number } | undefined
  readonly margin?: number | undefined
  readonly calibration?: Calibration | undefined
}

export interface PlanSection {
  /** Absent for a config, which says its method itself. */
  readonly method?: Method
  /** Cheapest first. */
  readonly rows: readonly PlanRow[]
  /** The arrangement that comes closest, if `rows` is empty. */
  readonly closest?: ClosestRow
  /** Why the model cannot be trained this way. */
  readonly problem?: Problem
}

export interface Plan {
  /** Samples of an optimizer step, which every row keeps. */
  readonly effectiveBatch: number
  readonly samplesPerRun?: number
  readonly sections: readonly PlanSection[]
  /** Names of GPUs without a known speed or price. */
  readonly unplanned: readonly string[]
  /** What was assumed of a bare model, one sentence each. */
  readonly assumptions: readonly string[]
}

export interface Planned {
  readonly spec: TrainingSpec
  readonly model: CatalogueModel
  /** The name of the config's format; undefined for a bare model. */
  readonly dialect?: string | undefined
}

/** @throws MemoryMarkError for trainings that cannot be planned. */
export function planTraining(planned: Planned, options: PlanOptions, footprints: FootprintCache): Plan {
  refuseUnplannable(planned.spec)
  return planned.dialect === undefined
    ? planModel(planned, options, footprints)
    : planConfig(planned, options, footprints)
}

function planConfig({ spec, model, dialect }: Planned, options: PlanOptions, footprints: FootprintCache): Plan {
  const planning = planningOf({ spec, model, dialect }, options, footprints)
  const section = sectionOf([spec], model, amongOf(options), planning)
  const left = notPlanned[planning.tool]
  return planOf(planning, [section], options, left === undefined ? [] : [left])
}

function planModel({ spec: open, model }: Planned, options: PlanOptions, footprints: FootprintCache): Plan {
  const { said = [], effectiveBatch: told } = options
  const { spec, assumptions } = bareTraining(open, model, { said })
  const saysBatch = told !== undefined || said.includes('microBatch')
  const batch = saysBatch ? told : BARE_EFFECTIVE_BATCH
  const planning = planningOf({ spec, model }, { ...options, effectiveBatch: batch }, footprints)
  const methods = methodsTo(options, spec, model)
  const sections = methods.map((method): PlanSection => {
    const trained = method === undefined ? spec : specWith(method, spec, model)
    const variants = variantsOf(trained, model, !said.includes('gradientCheckpointing'))
    const section = () => sectionOf(variants, model, amongOf(options), planning)
    return { ...(method && { method }), ...(methods.length > 1 ? orProblem(section) : section()) }
  })
  const onBatch = saysBatch
    ? []
    : [`Batches of ${BARE_EFFECTIVE_BATCH} samples over all GPUs: change it with --effective-batch.`]
  return planOf(planning, sections, options, [...assumptions, ...onBatch])
}

/**
 * A method that the model cannot have, such as LoRA on layers that it lacks, does not end the plan: its section holds
 * the problem.
 */
function orProblem(section: () => Omit<PlanSection, 'method'>): Omit<PlanSection, 'method'> {
  try {
    return section()
  } catch (error) {
    if (error instanceof MemoryMarkError) return { rows: [], problem: error.problem }
    throw error
  }
}

/** If adapters are given by hand, they are the only method. */
function methodsTo(
  { methods }: PlanOptions,
  spec: TrainingSpec,
  model: CatalogueModel,
): readonly (Method | undefined)[] {
  if (spec.lora !== undefined) return [undefined]
  const possible = methodsFor(model)
  const impossible = methods?.filter(method => !possible.includes(method)) ?? []
  if (impossible.length > 0) {
    throw new MemoryMarkError({
      code: 'not-planned',
      message: `adapters on ${model.family} models are not modelled, so that there is no ${impossible.join(' or ')}`,
      fix: `Use --method ${possible.join(',')}.`,
    })
  }
  return methods ?? possible
}

function planningOf(planned: Planned, options: PlanOptions, footprints: FootprintCache): Planning {
  const { spec, model, dialect } = planned
  const { margin, calibration } = options
  return {
    effectiveBatch: options.effectiveBatch ?? effectiveBatch(spec),
    tool: toolOf(dialect),
    footprints,
    undivided: new UndividedSteps(model.config),
    samplesPerRun: options.samplesPerRun ?? samplesOfRun(spec, model, options, footprints),
    ...(margin !== undefined && { margin }),
    ...(calibration !== undefined && { calibration }),
  }
}

function planOf(
  { effectiveBatch, samplesPerRun }: Planning,
  sections: readonly PlanSection[],
  { cards }: PlanOptions,
  assumptions: readonly string[],
): Plan {
  return {
    effectiveBatch,
    ...(samplesPerRun !== undefined && { samplesPerRun }),
    sections,
    unplanned: cards.filter(card => !isPlannable(card)).map(({ id }) => id),
    assumptions,
  }
}

function amongOf({ cards, maxGpus }: PlanOptions): Among {
  return { cards: cards.filter(isPlannable), counts: powersOfTwo(maxGpus) }
}

interface Among {
  readonly cards: readonly SpeedyGpu[]
  readonly counts: readonly number[]
}

function sectionOf(
  variants: readonly TrainingSpec[],
  { config }: CatalogueModel,
  { cards, counts }: Among,
  planning: Planning,
): Omit<PlanSection, 'method'> {
  const rows = counts.flatMap(gpus => bestRows(variants, config, { cards, gpus }, planning))
  if (rows.length > 0) return { rows: undominated(rows).toSorted(byCost) }
  const closest = closestRow(variants, config, { cards, counts }, planning)
  return { rows, ...(closest && { closest }) }
}

/** The spec without checkpointing comes first, because it is faster if it fits. */
function variantsOf(spec: TrainingSpec, { config }: CatalogueModel, chooses: boolean): readonly TrainingSpec[] {
  if (!chooses || spec.gradientCheckpointing || !supportsCheckpointing(config)) return [spec]
  return [spec, { ...spec, gradientCheckpointing: true }]
}

function isPlannable(card: Gpu): card is SpeedyGpu {
  return hasSpeed(card) && card.priceCaveat !== 'not-given'
}

/** Samples in a run of the known duration, at the throughput modelled for today's GPU. */
function samplesOfRun(
  spec: TrainingSpec,
  { config }: CatalogueModel,
  { now }: PlanOptions,
  footprints: FootprintCache,
): number | undefined {
  if (now === undefined) return undefined
  const probe = new EstimateProbe(footprints.of(spec, config, now.gpu), now.gpu)
  const each = probe.samplesPerSecond(spec.microBatch, spec.gradientAccumulation)
  return each && each * modelCopies(spec) * now.hoursPerRun * 3_600
}
