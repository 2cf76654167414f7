/** What each training method takes for a bare model, for a user who has chosen only the model. */
import { DEFAULT_HOURS_PER_RUN, DEFAULT_RUNS_PER_YEAR } from './analyze.ts'
import { type Assessment, assess } from './assess.ts'
import { MemoryMarkError } from './base/errors.ts'
import type { SpecAdjustments } from './config/adjusted-spec.ts'
import { derivationOf, errorBand } from './estimate/error-band.ts'
import type { FootprintCache } from './estimate/footprint-cache.ts'
import { defaultGpu, type Gpu, gpus, hasBfloat16, usableBytes } from './gpus/catalogue.ts'
import { marginFor } from './metrics/range.ts'
import type { CatalogueModel } from './models/catalogue.ts'
import { fieldsSaid, usualTraining } from './plan/bare-model.ts'
import { type Method, methodNames, methodsFor, specWith } from './plan/methods.ts'
import { EstimateProbe } from './probes/estimate.ts'
import type { Subject } from './subject.ts'
import type { TrainingSpec } from './training/spec.ts'
import { defaultPolicy } from './verdict/policy.ts'

export interface MethodEstimate {
  readonly method: Method
  /**
   * With one sample, on the GPU that is named; else on the smallest of the catalogue that it fits, or the largest if it
   * fits none.
   */
  readonly assessment: Assessment
}

export interface EstimatedMethods {
  /** With the assumptions that all methods share. */
  readonly subject: Subject
  /** The first method on the GPU that is named, else on the default GPU. */
  readonly assessment: Assessment
  readonly methods: readonly MethodEstimate[]
}

/**
 * Fields that describe the data and the GPUs, not the method. If any other field is given, there is only one training to
 * estimate.
 */
const fieldsOfAnyMethod: ReadonlySet<string> = new Set([
  'task',
  'sequenceLength',
  'targetLength',
  'imageSize',
  'labels',
  'gpus',
  'sharding',
])

/** Whether `changes` leave the method open. */
export function leavesMethodOpen(changes: SpecAdjustments): boolean {
  return fieldsSaid(changes).every(field => fieldsOfAnyMethod.has(field))
}

/** `gpu`: undefined if none is named. */
export function estimateMethods(
  subject: Subject,
  changes: SpecAdjustments,
  gpu: Gpu | undefined,
  footprints: FootprintCache,
): EstimatedMethods {
  const { model } = subject
  const oneSample = { ...subject.spec, microBatch: 1 }
  const said = [...fieldsSaid(changes), 'microBatch'] as const
  const { spec, assumptions } = usualTraining(oneSample, model, { said, gpu })
  const on = (trained: TrainingSpec, card: Gpu) =>
    assess(trained, model.config, {
      gpu: card,
      policy: defaultPolicy,
      footprints,
      hoursPerRun: DEFAULT_HOURS_PER_RUN,
      runsPerYear: DEFAULT_RUNS_PER_YEAR,
    })
  const refusals: string[] = []
  const methods = methodsFor(model).flatMap((method): MethodEstimate[] => {
    const trained = specWith(method, spec, model)
    try {
      return [{ method, assessment: on(trained, gpu ?? smallestGpu(trained, model, footprints)) }]
    } catch (error) {
      // A method that the model cannot have, such as LoRA on layers that it lacks, leaves the others standing.
      if (!(error instanceof MemoryMarkError)) throw error
      refusals.push(`${methodNames[method]}: ${error.problem.message}.`)
      return []
    }
  })
  // Assumptions about the training that the subject was read as, which is none of these methods.
  const ofAnother = derivationOf(subject.spec, model.config)
  const derivations = methods.flatMap(({ assessment }) => derivationOf(assessment.spec, model.config))
  return {
    subject: {
      ...subject,
      spec,
      assumptions: [
        ...subject.assumptions.filter(sentence => !ofAnother.includes(sentence)),
        ...assumptions,
        ...new Set(derivations),
        ...refusals,
      ],
    },
    assessment: on(spec, gpu ?? defaultGpu),
    methods,
  }
}

/**
 * The smallest GPU with bf16 on which one sample fits, the cheaper of two with equal memory; the largest GPU if none is
 * large enough.
 */
function smallestGpu(spec: TrainingSpec, { config }: CatalogueModel, footprints: FootprintCache): Gpu {
  const toLeave = marginFor(errorBand(spec, config))
  const bySize = gpus
    .filter(hasBfloat16)
    .toSorted((a, b) => usableBytes(a) - usableBytes(b) || a.pricePerHourUsd - b.pricePerHourUsd)
  const takes = (card: Gpu) => new EstimateProbe(footprints.of(spec, config, card), card).fits(1, toLeave)
  return bySize.find(takes) ?? bySize.at(-1) ?? defaultGpu
}
