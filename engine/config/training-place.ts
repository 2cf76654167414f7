/** Which training of a file is meant, where the file starts several: a script that calls two trainers is two configs, and so is a launcher of two. */
import * as z from 'zod'
import type { Problem } from '../base/errors.ts'
import { cellPosition } from '../base/position.ts'
import { oneOf } from './text/quote.ts'

export const trainingPlace = z.object({
  /** A name that does not change when lines move: `SFTTrainer`, `DPOTrainer in train_dpo()`. Unique within the file. */
  name: z.string().min(1).max(200),
  /** The line of the call that starts it, in the stored file. */
  line: z.number().int().positive(),
  cell: cellPosition.optional(),
})
export type TrainingPlace = z.infer<typeof trainingPlace>

/** By its name, or by the line of its call. */
export type TrainingChoice = { readonly name: string } | { readonly line: number }

/** Each is read and judged by itself. */
export const MAX_TRAININGS = 10

/** In the order of the file; equal names are counted. */
export function counted(places: readonly TrainingPlace[]): readonly TrainingPlace[] {
  const counts = new Map<string, number>()
  return places.map(place => {
    const count = (counts.get(place.name) ?? 0) + 1
    counts.set(place.name, count)
    return count === 1 ? place : { ...place, name: `${place.name} (${count})` }
  })
}

/** The first where none is chosen; -1 where none starts there. */
export function chosenIndex(places: readonly TrainingPlace[], choice: TrainingChoice | undefined): number {
  if (choice === undefined) return 0
  return places.findIndex(({ name, line }) => ('name' in choice ? name === choice.name : line === choice.line))
}

export function noneChosen(places: readonly TrainingPlace[]): string {
  return `No training starts there: it starts ${oneOf(places.map(({ name, line }) => `${name} on line ${line}`))}.`
}

/** `at`: where the first one starts. */
export function tooManyTrainings(count: number, file: string, at: Pick<Problem, 'line' | 'column' | 'cell'>): Problem {
  return {
    code: 'several-trainings',
    message: `The file starts ${count} trainings with different settings, and up to ${MAX_TRAININGS} of one file are checked`,
    fix: 'Keep them in several files, or add this one to ignore in .github/memorymark.yml.',
    file,
    ...at,
  }
}

interface OfFile {
  readonly path: string
  /** Only for a file that starts several trainings. */
  readonly training?: TrainingPlace | undefined
}

/** A key for a config or a training within a file, which does not change when lines move. */
export function configKey({ path, training }: OfFile): string {
  return training === undefined ? path : `${path}#${training.name}`
}

/** The name for people and commands: `train.yaml`, `train.py:41`. */
export function configName({ path, training }: OfFile): string {
  return training === undefined ? path : `${path}:${training.line}`
}

/** `train.py:41` → the file and the line; undefined for a path without a line. */
export function namedLine(name: string): { readonly path: string; readonly line: number } | undefined {
  const [, path, line] =
    /^(.+\.(?:py|ipynb|sh|bash|slurm|sbatch|mk)|(?:.*[/\\])?(?:Makefile|justfile|Dockerfile)):(\d{1,7})$/i.exec(name) ??
    []
  return path === undefined || Number(line) === 0 ? undefined : { path, line: Number(line) }
}
