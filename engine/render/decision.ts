/** One setting of a training spec as plain text: its name, its value, where it came from. */
import { sayPosition } from '../base/position.ts'
import type { Decision } from '../config/fields/fields.ts'
import { plain } from '../config/text/quote.ts'
import type { Field } from '../config/text/section.ts'
import type { TrainingSpec } from '../training/spec.ts'

type Setting = keyof TrainingSpec

/** Names as the documentation writes them. */
const names: Readonly<Partial<Record<Setting, string>>> = {
  microBatch: 'micro-batch',
  gradientAccumulation: 'gradient accumulation',
  gpus: 'GPUs',
  sequenceLength: 'sequence length',
  meanLength: 'mean length',
  targetLength: 'target length',
  imageSize: 'image size',
  gradientCheckpointing: 'gradient checkpointing',
  lora: 'adapters',
  fusedLoss: 'fused loss',
  paddedBatches: 'padded batches',
  step: 'step profile',
}

export function settingName({ setting }: Pick<Decision, 'setting'>): string {
  return names[setting] ?? words(setting)
}

export function settingValue({ value }: Pick<Decision, 'value'>): string {
  if (isLora(value)) return `rank ${value.rank} on ${value.targets.map(plain).join(', ')}`
  return shown(value)
}

/** A training method and its like: `online, reference none, completion length 512`. */
function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(shown).join(', ')
  if (typeof value !== 'object' || value === null) return plain(String(value))
  return Object.entries(value)
    .map(([key, part]) => (key === 'kind' ? shown(part) : `${words(key)} ${shown(part)}`))
    .join(', ')
}

/** `completionLength` → `completion length`. */
function words(key: string): string {
  return key.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
}

export function settingOrigin({ from }: Decision): string {
  switch (from.kind) {
    case 'field':
      return placeOf(from.field)
    case 'default':
      return from.source
  }
}

/** The repository's settings and DeepSpeed's are in files of their own. */
function placeOf({ file, at, name }: Pick<Field, 'file' | 'at' | 'name'>): string {
  return `${file === undefined ? '' : `${plain(file)}, `}${sayPosition(at)} (${name})`
}

function isLora(value: unknown): value is NonNullable<TrainingSpec['lora']> {
  return typeof value === 'object' && value !== null && 'targets' in value
}
