/** Small scripts that fine-tune, to be varied by tests. */

import type { Problem } from '../../../engine/base/errors.ts'
import type { SuppliedFields } from '../../../engine/config/fields/supplied.ts'
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { FileReading, Reading } from '../../../engine/config/reading.ts'

/** `above` stands before the call of the arguments, whose parameters are `given`. */
export function finetuning(above: string, given: string): string {
  return `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
${above}
model = AutoModelForCausalLM.from_pretrained("gpt2")
args = TrainingArguments(output_dir="out", ${given})
trainer = Trainer(model=model, args=args, train_dataset=data)
trainer.train()
`
}

export function read(text: string, path = 'train.py'): Promise<FileReading> {
  return readConfigAsync({ path, text }, {})
}

type TrainingConfig = Extract<Reading, { kind: 'training-config' }>

export async function trained(text: string): Promise<TrainingConfig> {
  const reading = await read(text)
  if (reading.kind !== 'training-config') throw new Error(`no training config: ${JSON.stringify(reading)}`)
  return reading
}

export async function problems(text: string): Promise<readonly Problem[]> {
  const reading = await read(text)
  if (reading.kind !== 'unreadable') throw new Error(`readable: ${JSON.stringify(reading)}`)
  return reading.problems
}

/** In a repository with further files. */
export function readBeside(
  text: string,
  files: Readonly<Record<string, string>>,
  { path = 'train.py', supplied = {} }: { readonly path?: string; readonly supplied?: SuppliedFields } = {},
): Promise<FileReading> {
  return readConfigAsync({ path, text }, { readFile: async name => files[name] }, supplied)
}
