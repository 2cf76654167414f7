/** `memorymark explain`: how a file is understood, setting by setting, and what cannot be known from it. */
import type { Decision } from '../config/fields.ts'
import { plain } from '../config/quote.ts'
import { type Explanation, explainConfigAsync } from '../config/read.ts'
import type { Field } from '../config/section.ts'
import type { TrainingSpec } from '../config/spec.ts'
import { formatWhere, MemoryMarkError, type Problem } from '../errors.ts'
import { resolveModel } from '../models/resolve.ts'
import { parseFlags } from './arguments.ts'
import type { ExitCode } from './exit-code.ts'
import { findFiles } from './files.ts'
import { modelSources } from './models.ts'
import { settingsOptions, suppliedFor } from './settings.ts'

export async function explain(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, settingsOptions)
  const { named } = await findFiles(positionals)
  const [file] = named
  if (file === undefined || named.length !== positionals.length) {
    throw new MemoryMarkError({
      code: 'usage',
      message: 'explain takes config files, not directories',
      fix: 'Run `memorymark explain configs/train.yaml`.',
    })
  }
  for (const each of named) {
    const supplied = await suppliedFor(each.path, values)
    const resolve = (name: string) => resolveModel(name, modelSources(), each.path)
    const explanation = await explainConfigAsync(each, resolve, supplied)
    console.log(`${each.path}\n${rendered(explanation)}\n`)
  }
  return 0
}

function rendered(explanation: Explanation): string {
  switch (explanation.kind) {
    case 'recognised':
      return [
        `  ${explanation.dialect}, recognised by ${plain(explanation.why)}`,
        ...table(explanation.decisions),
        ...explanation.assumptions.map(sentence => `  assumed: ${sentence}`),
        ...outcome(explanation.reading),
      ].join('\n')
    case 'not-recognised':
      return outcome(explanation.reading).join('\n')
  }
}

function outcome(reading: Explanation['reading']): readonly string[] {
  switch (reading.kind) {
    case 'training-config':
      return []
    case 'not-a-training-config':
      return [`  Not a training config. ${reading.why}`]
    case 'unreadable':
      return reading.problems.map(shown)
  }
}

function shown(problem: Problem): string {
  const { file: _, ...inFile } = problem
  const place = problem.line === undefined ? '' : `line ${problem.line}: `
  return `  ${place}${formatWhere({ ...inFile, line: undefined, column: undefined })}${problem.message}. ${problem.fix}`
}

type Setting = keyof TrainingSpec

/** As the product's vocabulary has them. */
const names: Readonly<Partial<Record<Setting, string>>> = {
  microBatch: 'micro-batch',
  gradientAccumulation: 'gradient accumulation',
  gpus: 'GPUs',
  sequenceLength: 'sequence length',
  targetLength: 'target length',
  imageSize: 'image size',
  gradientCheckpointing: 'gradient checkpointing',
  lora: 'adapters',
  fusedLoss: 'fused loss',
  paddedBatches: 'padded batches',
  step: 'step profile',
}

function table(decisions: readonly Decision[]): readonly string[] {
  const rows = decisions.map(({ setting, value, from }) => [names[setting] ?? setting, shownValue(value), origin(from)])
  const width = (column: number) => Math.max(0, ...rows.map(row => row[column]?.length ?? 0))
  const [first, second] = [width(0), width(1)]
  return rows.map(([name = '', value = '', from = '']) => `  ${name.padEnd(first)}  ${value.padEnd(second)}  ${from}`)
}

function origin(from: Decision['from']): string {
  switch (from.kind) {
    case 'field':
      return placeOf(from.field)
    case 'default':
      return from.source
  }
}

/** Settings of the repository are in a file of their own. */
function placeOf({ file, at, name }: Field): string {
  return `${file === undefined ? '' : `${file}, `}line ${at.line}, column ${at.column} (${name})`
}

function shownValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isLora(value)) return `rank ${value.rank} on ${value.targets.join(', ')}`
  return plain(String(value))
}

function isLora(value: unknown): value is NonNullable<TrainingSpec['lora']> {
  return typeof value === 'object' && value !== null && 'targets' in value
}
