/** Which training of a file is meant, where the file starts several: a script that calls two trainers is two configs. */
import * as z from 'zod'
import { cellPosition } from '../errors.ts'

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
  const [, path, line] = /^(.+\.(?:py|ipynb)):(\d{1,7})$/i.exec(name) ?? []
  return path === undefined || Number(line) === 0 ? undefined : { path, line: Number(line) }
}
