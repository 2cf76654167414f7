/** A changed config: the text is edited, read again, and kept only if it reads exactly as intended. */

import { isSameData } from '../base/same-data.ts'
import type { SuppliedFields } from '../config/fields/supplied.ts'
import { readConfigAsync } from '../config/read.ts'
import type { Reading, SourceFile } from '../config/reading.ts'
import type { Sources } from '../config/sources.ts'
import { rewriteNumbers } from '../config/text/rewrite.ts'
import { writesAny } from '../config/text/written-keys.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { BatchPlan } from '../metrics/recommend.ts'
import type { Effect, LeverId } from '../report/advised-levers.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { withSettings } from './edit/edit.ts'
import { effectOf } from './effects.ts'
import type { Lever } from './lever.ts'
import type { Asked } from './tools/tool.ts'
import { toolOf } from './tools/tools.ts'

export type TrainingConfig = Extract<Reading, { kind: 'training-config' }>

export interface Variant {
  readonly changes: readonly LeverId[]
  readonly groups: readonly string[]
  readonly effect: Effect
  readonly text: string
  readonly reading: TrainingConfig
  /** The spec as read, with what environment variables add. */
  readonly spec: TrainingSpec
  readonly environment?: string
}

export interface Rereading {
  readonly file: SourceFile
  readonly sources: Sources
  readonly supplied: SuppliedFields
  readonly gpu: Gpu
}

const EXPANDABLE = 'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True'

export function unchanged(file: SourceFile, reading: TrainingConfig): Variant {
  return { changes: [], groups: [], effect: 'none', text: file.text, reading, spec: reading.spec }
}

/** Undefined if the tool cannot express the lever, or if the new text would say more than that. */
export async function withLever(
  variant: Variant,
  lever: Lever,
  rereading: Rereading,
  plan: BatchPlan = variant.spec,
): Promise<Variant | undefined> {
  if (lever.id === 'expandable-segments') return withEnvironment(variant, lever)
  const text = changedText(variant, lever, rereading, plan)
  if (text === undefined || text === variant.text) return undefined
  const reading = await read({ ...rereading.file, text }, rereading)
  if (reading === undefined || !saysJustThat(lever, reading, variant.reading)) return undefined
  if (!(await leavesOthers(text, reading, variant, rereading))) return undefined
  const { environment } = variant
  const spec = { ...reading.spec, ...(environment !== undefined && { expandableSegments: true as const }) }
  return { ...together(variant, lever, spec), text, reading, spec, ...(environment !== undefined && { environment }) }
}

function withEnvironment(variant: Variant, lever: Lever): Variant {
  const spec = { ...variant.spec, expandableSegments: true as const }
  return { ...variant, ...together(variant, lever, spec), spec, environment: EXPANDABLE }
}

const gravity: readonly Effect[] = ['none', 'numerics', 'changes-the-result']

function together(variant: Variant, lever: Lever, after: TrainingSpec): Pick<Variant, 'changes' | 'groups' | 'effect'> {
  const effect = effectOf(lever, variant.spec, after)
  return {
    changes: [...variant.changes, lever.id],
    groups: [...variant.groups, lever.group],
    effect: gravity.indexOf(effect) > gravity.indexOf(variant.effect) ? effect : variant.effect,
  }
}

function changedText({ text, reading, spec }: Variant, lever: Lever, { file, gpu }: Rereading, plan: BatchPlan) {
  const { path } = file
  const numbers = lever.id === 'micro-batch' ? withNumbers(text, reading, plan) : undefined
  if (numbers !== undefined) return numbers
  const asked: Asked = { spec, gpu, plan, has: key => has(text, path, key) }
  const settings = toolOf(reading.dialect)[lever.id]?.(asked)
  return settings && withSettings({ path, text, batchSizeAt: reading.batchSizeAt }, settings)
}

/** Replaces both numbers where they are written; undefined if one is not written. */
function withNumbers(text: string, { spec, batchSizeAt, gradientAccumulationAt }: TrainingConfig, plan: BatchPlan) {
  const isAccumulationKept = plan.gradientAccumulation === spec.gradientAccumulation
  if (batchSizeAt === undefined || (gradientAccumulationAt === undefined && !isAccumulationKept)) return undefined
  const rewrite = rewriteNumbers(text, [
    { at: batchSizeAt, from: spec.microBatch, to: plan.microBatch },
    ...(gradientAccumulationAt === undefined || isAccumulationKept
      ? []
      : [{ at: gradientAccumulationAt, from: spec.gradientAccumulation, to: plan.gradientAccumulation }]),
  ])
  return rewrite.kind === 'rewritten' ? rewrite.text : undefined
}

function has(text: string, path: string, key: string): boolean {
  if (/\.(?:ya?ml|jsonc?)$/i.test(path)) return writesAny([key])(text)
  return new RegExp(`(?<![\\w])${key}(?=[\\s=])`).test(text)
}

async function read(file: SourceFile, { sources, supplied }: Rereading): Promise<TrainingConfig | undefined> {
  const reading = await readConfigAsync(file, sources, supplied)
  return reading.kind === 'training-config' ? reading : undefined
}

/** Whether the lever was made and nothing else changed. */
function saysJustThat({ settings, isMade }: Lever, after: TrainingConfig, before: TrainingConfig): boolean {
  const keys = Object.keys({ ...after.spec, ...before.spec }) as (keyof TrainingSpec)[]
  const differing = keys.filter(key => !isSameData(after.spec[key], before.spec[key]))
  return (
    after.dialect === before.dialect &&
    differing.length > 0 &&
    differing.every(key => settings.includes(key)) &&
    (after.unreadSettings?.length ?? 0) <= (before.unreadSettings?.length ?? 0) &&
    isMade(after.spec, before.spec)
  )
}

/** Whether the file's other trainings stay the same: several may share an argument. */
async function leavesOthers(text: string, { training }: TrainingConfig, before: Variant, rereading: Rereading) {
  if (training === undefined || training.isOnly) return true
  const { file, sources, supplied } = rereading
  const { training: _, ...whole } = file
  const all = await readConfigAsync({ ...whole, text: before.text }, sources, supplied)
  if (all.kind !== 'several-trainings') return false
  for (const { name } of all.trainings.filter(other => other.name !== training.name)) {
    const [was, is] = await Promise.all(
      [before.text, text].map(each => read({ ...whole, text: each, training: { name } }, rereading)),
    )
    if (!isSameData(was?.spec, is?.spec)) return false
  }
  return true
}
