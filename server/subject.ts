/** The subject of an analysis: the model or pasted config of a request, with the request's changes. */

import { MemoryMarkError, type Problem } from '../engine/base/errors.ts'
import { adjusted, specOf } from '../engine/config/adjusted-spec.ts'
import { modelProblem } from '../engine/config/fields/model-problem.ts'
import { readConfigAsync } from '../engine/config/read.ts'
import { type NumberPlaces, numberPlaces, type SourceFile, type UnreadSetting } from '../engine/config/reading.ts'
import { resolveModel } from '../engine/config/resolve-model.ts'
import { namedLine } from '../engine/config/training-place.ts'
import { derivationOf } from '../engine/estimate/error-band.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { CatalogueModel } from '../engine/models/catalogue.ts'
import type { Hub } from '../engine/models/hub.ts'
import { fieldsSaid, usualTraining } from '../engine/plan/bare-model.ts'
import { severalTrainings } from '../engine/subject.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import type { AnalysisRequest } from './analysis.ts'

/** With its place, as in a report's config. */
export interface Subject extends NumberPlaces {
  readonly path: string
  readonly dialect: string
  /** Assumptions made when the config was read. */
  readonly assumesGpus?: true
  readonly assumesLength?: true
  readonly assumesCode?: true
  readonly countsTooMuch?: true
  readonly unreadSettings?: readonly UnreadSetting[]
  readonly spec: TrainingSpec
  readonly model: CatalogueModel
  /** One sentence each. */
  readonly assumptions: readonly string[]
}

/** The config's place, as in a report. */
export function placeOf(subject: Subject) {
  const { path, dialect, unreadSettings } = subject
  return {
    path,
    dialect,
    ...numberPlaces(subject),
    ...(unreadSettings && { unreadSettings: [...unreadSettings] }),
  }
}

export type SubjectReading =
  | { readonly kind: 'subject'; readonly subject: Subject }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/** Models come from the catalogue and the Hub, never from this machine's files, which clients must not read. */
export interface ModelPlaces {
  readonly hub?: Hub
}

/** `gpu`: determines the precision that a bare model is trained in. */
export async function readSubject(
  request: AnalysisRequest,
  places: ModelPlaces,
  gpu: Gpu | undefined,
): Promise<SubjectReading> {
  const { model, config } = request
  try {
    const written = config === undefined ? await bareModel(model ?? '', places) : await pasted(config, places)
    if (written.kind === 'refused') return written
    const { subject } = written
    const changed = adjusted(subject.spec, subject.model, request.spec, field => `spec.${field}`)
    const isOpen = config === undefined && !request.earlierDefaults
    const told = { said: fieldsSaid(request.spec), gpu, namesFlags: false }
    const { spec, assumptions: assumed } = isOpen
      ? usualTraining(changed, subject.model, told)
      : { spec: changed, assumptions: [] }
    const assumptions = [...subject.assumptions, ...assumed, ...derivationOf(spec, subject.model.config)]
    return { kind: 'subject', subject: { ...subject, spec, assumptions } }
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error
    return { kind: 'refused', problems: [error.problem] }
  }
}

async function bareModel(name: string, places: ModelPlaces): Promise<SubjectReading> {
  const resolution = await resolveModel(name, places)
  if (resolution.kind !== 'resolved') {
    return { kind: 'refused', problems: [{ ...modelProblem(name, resolution), field: 'model' }] }
  }
  const { model, sentence } = resolution
  const assumptions = sentence === undefined ? [] : [sentence]
  return { kind: 'subject', subject: { path: model.id, dialect: 'request', spec: specOf(model), model, assumptions } }
}

type PastedConfig = NonNullable<AnalysisRequest['config']>

/** The file name may end in the line of the training that is meant. */
export function pastedFile({ fileName, text }: PastedConfig): SourceFile {
  const named = namedLine(fileName)
  return named === undefined ? { path: fileName, text } : { path: named.path, text, training: { line: named.line } }
}

async function pasted(config: PastedConfig, places: ModelPlaces): Promise<SubjectReading> {
  const { fileName } = config
  const reading = await readConfigAsync(pastedFile(config), places)
  switch (reading.kind) {
    case 'training-config': {
      const { kind: _, training: __, ...config } = reading
      return { kind: 'subject', subject: { path: fileName, ...config } }
    }
    case 'several-trainings':
      return { kind: 'refused', problems: [severalTrainings(fileName, reading.trainings)] }
    case 'unreadable':
      return { kind: 'refused', problems: reading.problems }
    case 'not-a-training-config':
      return { kind: 'refused', problems: [notTraining(fileName, reading.why)] }
  }
}

function notTraining(file: string, why: string): Problem {
  return {
    code: 'not-a-training-config',
    file,
    message: 'this is not a training config',
    fix: `${why} Paste a file that sets a batch size, or name a model.`.slice(0, 2_000),
  }
}
