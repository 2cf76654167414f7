/** The flags that change a training spec. */

import { MemoryMarkError } from '../engine/base/errors.ts'
import type { SpecAdjustments } from '../engine/config/adjusted-spec.ts'
import type { SuppliedVersion } from '../engine/config/fields/supplied.ts'
import { MAX_BATCH } from '../engine/training/batch-size.ts'
import {
  assumedSentences,
  attentions,
  columnsOfLoss,
  defaultLoraTargets,
  frameworks,
  loops,
  optimizers,
  precisions,
  quantizations,
  sdpaKernels,
  sentenceLosses,
  shardings,
  stepProfiles,
  tasks,
} from '../engine/training/choices.ts'
import { MAX_COLUMNS, MAX_FRAMES, type TrainingSpec } from '../engine/training/spec.ts'
import { libraryVersions, versionedLibraries } from '../engine/training/versions.ts'
import { numberFlag, oneOf } from './arguments.ts'
import { settingsOptions } from './settings.ts'

/** For parseFlags; includes the settings file, for what a config cannot say. */
export const specOptions = {
  'batch-size': { type: 'string' },
  'gradient-accumulation': { type: 'string' },
  'sequence-length': { type: 'string' },
  'target-length': { type: 'string' },
  'image-size': { type: 'string' },
  'video-frames': { type: 'string' },
  'sentence-columns': { type: 'string' },
  'sentence-loss': { type: 'string' },
  labels: { type: 'string' },
  'channels-last': { type: 'boolean' },
  task: { type: 'string' },
  step: { type: 'string' },
  optimizer: { type: 'string' },
  precision: { type: 'string' },
  autocast: { type: 'boolean' },
  float16: { type: 'boolean' },
  attention: { type: 'string' },
  'sdpa-kernel': { type: 'string' },
  loop: { type: 'string' },
  dropout: { type: 'boolean' },
  framework: { type: 'string' },
  padded: { type: 'boolean' },
  'gradient-checkpointing': { type: 'boolean' },
  'fused-loss': { type: 'boolean' },
  'fused-norms': { type: 'boolean' },
  'lora-rank': { type: 'string' },
  'lora-targets': { type: 'string' },
  'lora-dropout': { type: 'string' },
  quantization: { type: 'string' },
  gpus: { type: 'string' },
  sharding: { type: 'string' },
  versions: { type: 'string' },
  'expandable-segments': { type: 'boolean' },
  ...settingsOptions,
} as const

export type SpecFlags = {
  readonly [Name in keyof typeof specOptions]?:
    | ((typeof specOptions)[Name]['type'] extends 'boolean' ? boolean : string)
    | undefined
}

/** Undefined where neither loss nor columns are given. */
function sentencesOf(values: SpecFlags, columns: number | undefined): SpecAdjustments['sentences'] {
  const given = oneOf('--sentence-loss', values['sentence-loss'], sentenceLosses)
  if (columns === undefined && given === undefined) return undefined
  const loss = given ?? assumedSentences.loss
  return { columns: columns ?? columnsOfLoss[loss] ?? assumedSentences.columns, loss }
}

export function changesOf(values: SpecFlags): SpecAdjustments {
  const count = (flag: keyof SpecFlags, max: number) =>
    numberFlag(`--${flag}`, values[flag]?.toString(), { integer: true, max })
  return {
    microBatch: count('batch-size', MAX_BATCH),
    gradientAccumulation: count('gradient-accumulation', MAX_BATCH),
    sequenceLength: count('sequence-length', 1e7),
    targetLength: count('target-length', 1e7),
    imageSize: count('image-size', 1e5),
    videoFrames: count('video-frames', MAX_FRAMES),
    labels: count('labels', 1e6),
    sentences: sentencesOf(values, count('sentence-columns', MAX_COLUMNS)),
    channelsLast: values['channels-last'] ? true : undefined,
    task: oneOf('--task', values.task, tasks),
    step: oneOf('--step', values.step, stepProfiles),
    optimizer: oneOf('--optimizer', values.optimizer, optimizers),
    precision: oneOf('--precision', values.precision, precisions),
    autocasts: values.autocast ? true : undefined,
    inFloat16: values.float16 ? true : undefined,
    attention: oneOf('--attention', values.attention, attentions),
    sdpaKernel: oneOf('--sdpa-kernel', values['sdpa-kernel'], sdpaKernels),
    loop: oneOf('--loop', values.loop, loops),
    framework: oneOf('--framework', values.framework, frameworks),
    paddedBatches: values.padded,
    dropout: values.dropout ? true : undefined,
    gradientCheckpointing: values['gradient-checkpointing'],
    fusedLoss: values['fused-loss'],
    fusedNorms: values['fused-norms'] ? true : undefined,
    lora: loraOf(values, count('lora-rank', 10_000)),
    quantization: oneOf('--quantization', values.quantization, quantizations),
    gpus: count('gpus', 100_000),
    expandableSegments: values['expandable-segments'] ? true : undefined,
    sharding: oneOf('--sharding', values.sharding, shardings),
  }
}

/** `--versions transformers=4.48.1,torch=2.4.1`. */
export function suppliedVersions(written: string | undefined): readonly SuppliedVersion[] {
  if (written === undefined) return []
  const entries = written.split(',').map(part => part.trim().split(/==?/))
  const versions = libraryVersions.safeParse(Object.fromEntries(entries))
  if (versions.success && entries.every(parts => parts.length === 2)) {
    return versionedLibraries.flatMap(library => {
      const version = versions.data[library]
      return version === undefined ? [] : [{ library, version, place: '--versions' }]
    })
  }
  throw new MemoryMarkError({
    code: 'unknown-value',
    field: '--versions',
    message: `"${written}" is not a list of versions of ${versionedLibraries.join(', ')}`,
    fix: 'Write for instance --versions transformers=4.48.1,torch=2.4.1.',
  })
}

function loraOf(values: SpecFlags, rank: number | undefined): TrainingSpec['lora'] {
  if (rank === undefined) {
    const stray = (['lora-targets', 'lora-dropout', 'quantization'] as const).find(flag => values[flag] !== undefined)
    if (stray !== undefined) throw missingRank(stray)
    return undefined
  }
  const targets = values['lora-targets']?.split(',').map(target => target.trim())
  const dropout = values['lora-dropout'] === undefined ? 0 : Number(values['lora-dropout'])
  if (!(dropout >= 0 && dropout < 1)) {
    throw new MemoryMarkError({
      code: 'out-of-range',
      field: '--lora-dropout',
      message: `"${values['lora-dropout']}" is not a probability`,
      fix: 'Use a number from 0 up to, but not including, 1.',
    })
  }
  return { rank, targets: targets?.filter(target => target !== '') ?? [...defaultLoraTargets], dropout }
}

function missingRank(flag: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'usage',
    field: `--${flag}`,
    message: 'this option is about adapters, but there are none',
    fix: 'Add --lora-rank.',
  })
}
