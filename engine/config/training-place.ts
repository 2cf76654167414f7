/** Which training of a file is meant, where the file starts several: a script that calls two trainers is two configs. */
import * as z from 'zod'
import { cellPosition } from '../errors.ts'

export const trainingPlace = z.object({
  /** The same when lines move: `SFTTrainer`, `DPOTrainer in train_dpo()`. No two trainings of a file share it. */
  name: z.string().min(1).max(200),
  /** Of the call that starts it, in the file as it is stored. */
  line: z.number().int().positive(),
  cell: cellPosition.optional(),
})
export type TrainingPlace = z.infer<typeof trainingPlace>

/** By its name, or by the line of its call. */
export type TrainingChoice = { readonly name: string } | { readonly line: number }

interface OfFile {
  readonly path: string
  /** Only of a file that starts several. */
  readonly training?: TrainingPlace | undefined
}

/** Tells configs apart, also those of one file, and stays as it is when lines move. */
export function configKey({ path, training }: OfFile): string {
  return training === undefined ? path : `${path}#${training.name}`
}

/** As people name a config, and commands take it: `train.yaml`, `train.py:41`. */
export function configName({ path, training }: OfFile): string {
  return training === undefined ? path : `${path}:${training.line}`
}

/** `train.py:41` → the file and the line; undefined for a path without a line. */
export function namedLine(name: string): { readonly path: string; readonly line: number } | undefined {
  const [, path, line] = /^(.+\.(?:py|ipynb)):(\d{1,7})$/i.exec(name) ?? []
  return path === undefined || Number(line) === 0 ? undefined : { path, line: Number(line) }
}
