/** The model or config that a command is about, with the settings that its flags change. */
import { join } from 'node:path'
import { MemoryMarkError } from '../engine/base/errors.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import type { PlanOptions } from '../engine/plan/plan.ts'
import { noSettings } from '../engine/settings/settings.ts'
import {
  type EstimatedSubject,
  type Named,
  notATrainingConfig,
  type PlannedSubject,
  type Subject,
  type SubjectOptions,
} from '../engine/subject.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import { type EstimatedMethods, leavesMethodOpen } from '../engine/training-methods.ts'
import { exists, findFiles, trainingOn } from './files.ts'
import { settingsOrThrow } from './settings.ts'
import { sources } from './sources.ts'
import { changesOf, type SpecFlags, suppliedVersions } from './spec-flags.ts'

/** The flags for spec fields, for error messages. */
const fieldNames: Readonly<Partial<Record<keyof TrainingSpec, string>>> = {
  task: '--task',
  sequenceLength: '--sequence-length',
  imageSize: '--image-size',
  videoFrames: '--video-frames',
  sentences: '--sentence-columns',
  attention: '--attention',
  gradientCheckpointing: '--gradient-checkpointing',
  quantization: '--quantization',
}

/**
 * Reads the one positional argument and applies the flags. @throws MemoryMarkError for settings that the model cannot
 * have, or a subject that passes a limit.
 */
export async function readSubject(
  positionals: readonly string[],
  values: SpecFlags,
  engine: IsolatedEngine,
  trained: Pick<SubjectOptions, 'bare' | 'gpu'> = {},
): Promise<Subject> {
  const named = await namedBy(positionals)
  const options = await optionsFor(named, values, engine)
  return engine.readSubject(named, { ...options, ...trained }, sources())
}

export async function estimateSubject(
  positionals: readonly string[],
  values: SpecFlags,
  engine: IsolatedEngine,
  gpu: Gpu | undefined,
): Promise<EstimatedSubject> {
  const named = await namedBy(positionals)
  const options = await optionsFor(named, values, engine)
  return engine.estimateSubject(named, { ...options, bare: 'plain', gpu }, sources())
}

/** Undefined if a config is named, or an option chooses the method. */
export async function estimateMethods(
  positionals: readonly string[],
  values: SpecFlags,
  engine: IsolatedEngine,
  gpu: Gpu | undefined,
): Promise<EstimatedMethods | undefined> {
  const named = await namedBy(positionals)
  const options = await optionsFor(named, values, engine)
  if (named.kind === 'config' || !leavesMethodOpen(options.changes)) return undefined
  return engine.estimateMethods(named, { ...options, gpu }, sources())
}

export async function planSubject(
  positionals: readonly string[],
  values: SpecFlags,
  engine: IsolatedEngine,
  plan: PlanOptions,
): Promise<PlannedSubject> {
  const named = await namedBy(positionals)
  return engine.planSubject(named, await optionsFor(named, values, engine), { plan, sources: sources() })
}

async function optionsFor(named: Named, values: SpecFlags, engine: IsolatedEngine): Promise<SubjectOptions> {
  const settings = named.kind === 'config' ? await settingsOrThrow(values, engine) : noSettings
  return { changes: changesOf(values), versions: suppliedVersions(values.versions), fieldNames, settings }
}

async function namedBy(positionals: readonly string[]): Promise<Named> {
  const [name] = positionals
  if (name === undefined || positionals.length > 1) {
    throw new MemoryMarkError({
      code: 'usage',
      message: name === undefined ? 'no model or config is named' : 'more than one model or config is named',
      fix: 'Name one: a model such as bert, a Hugging Face Hub id, or a config file.',
    })
  }
  if (await namesModel(name)) return { kind: 'model', name }
  const { named } = await findFiles([name])
  const [file] = named
  if (file === undefined) throw new MemoryMarkError(notATrainingConfig(name))
  return { kind: 'config', file }
}

/** Whether the name is a model: anything that is not a path, or a folder with a model's config.json. */
async function namesModel(name: string): Promise<boolean> {
  if ((await trainingOn(name)) !== undefined) return false
  return !(await exists(name)) || (await exists(join(name, 'config.json')))
}
