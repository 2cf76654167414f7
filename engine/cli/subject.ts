/** The model or config that a command is about, with the settings that its flags change. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { adjusted, specOf } from '../config/adjusted-spec.ts'
import { modelProblem } from '../config/model-problem.ts'
import { readConfigAsync } from '../config/read.ts'
import type { Reading, SourceFile } from '../config/reading.ts'
import type { TrainingSpec } from '../config/spec.ts'
import { MemoryMarkError } from '../errors.ts'
import { derivationOf } from '../estimate/error-band.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import { resolveModel } from '../models/resolve.ts'
import { findFiles } from './files.ts'
import { type SettingsFlags, suppliedFor } from './settings.ts'
import { sources } from './sources.ts'
import { changesOf, type SpecFlags } from './spec-flags.ts'

/** Flags that a model may refuse. */
const flagNames: Readonly<Partial<Record<keyof TrainingSpec, string>>> = {
  task: '--task',
  sequenceLength: '--sequence-length',
  gradientCheckpointing: '--gradient-checkpointing',
  quantization: '--quantization',
}

export interface Subject {
  /** The config's path, or the model's id. */
  readonly path: string
  readonly spec: TrainingSpec
  readonly model: CatalogueModel
  /** What was assumed, one sentence each. */
  readonly assumptions: readonly string[]
}

/** Reads the one positional argument and applies the flags; refuses what the model cannot do. */
export async function readSubject(positionals: readonly string[], values: SpecFlags): Promise<Subject> {
  const subject = await subjectOf(positionals, values)
  const spec = adjusted(subject.spec, subject.model, changesOf(values), field => flagNames[field] ?? field)
  return { ...subject, spec, assumptions: [...subject.assumptions, ...derivationOf(spec, subject.model.config)] }
}

async function subjectOf(positionals: readonly string[], values: SpecFlags): Promise<Subject> {
  const [name] = positionals
  if (name === undefined || positionals.length > 1) {
    throw new MemoryMarkError({
      code: 'usage',
      message: name === undefined ? 'no model or config is named' : 'more than one model or config is named',
      fix: 'Name one: a model such as bert, a Hugging Face Hub id, or a config file.',
    })
  }
  return (await namesModel(name)) ? modelSubject(name) : configSubject(name, values)
}

/** Anything that is not a path, and a folder with a model's config.json. */
async function namesModel(name: string): Promise<boolean> {
  return !(await exists(name)) || (await exists(join(name, 'config.json')))
}

async function modelSubject(name: string): Promise<Subject> {
  const resolution = await resolveModel(name, sources())
  if (resolution.kind !== 'resolved') throw new MemoryMarkError(modelProblem(name, resolution))
  const { model, sentence } = resolution
  return { path: model.id, spec: specOf(model), model, assumptions: sentence === undefined ? [] : [sentence] }
}

async function configSubject(path: string, flags: SettingsFlags): Promise<Subject> {
  const { named } = await findFiles([path])
  const [file] = named
  const reading = file && (await readWithSettings(file, flags))
  if (reading?.kind === 'training-config') {
    const { spec, model, assumptions } = reading
    return { path, spec, model, assumptions }
  }
  const [problem] = reading?.kind === 'unreadable' ? reading.problems : []
  throw new MemoryMarkError(
    problem ?? {
      code: 'not-a-training-config',
      file: path,
      message: 'this is not a training config',
      fix: `${reading?.kind === 'not-a-training-config' ? `${reading.why} ` : ''}Name a file that sets a batch size, or a model.`,
    },
  )
}

async function readWithSettings(file: SourceFile, flags: SettingsFlags): Promise<Reading> {
  const supplied = await suppliedFor(file.path, flags)
  return readConfigAsync(file, sources(), supplied)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
