/** The recommendation as config text: the pasted text with its numbers replaced, or keys for a new config. */
import type { SourceFile } from '../../../engine/config/reading.ts'
import type { BatchPlan } from '../../../engine/metrics/recommend.ts'
import { type ByHand, proposeChange } from '../../../engine/propose.ts'
import { isWorthFollowing } from '../../../engine/render/advice.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { ownConfig } from '../../own-config.ts'

export interface Snippet {
  readonly title: string
  readonly text: string
}

export type ConfigSnippets =
  | { readonly kind: 'snippets'; readonly snippets: readonly Snippet[] }
  /** The config already has the recommendation, or it brings nothing. */
  | { readonly kind: 'nothing-to-change' }
  /** Not even one sample fits. */
  | { readonly kind: 'nothing-fits' }
  | { readonly kind: 'by-hand'; readonly why: string; readonly plan: BatchPlan }

/** Cached, because a page is viewed more often than its config must be read. */
const known = new WeakMap<AnalysedConfig, Promise<ConfigSnippets>>()

/** `pasted`: the text that `config` was read from, if there is one. */
export function configSnippets(config: AnalysedConfig, pasted: SourceFile | undefined): Promise<ConfigSnippets> {
  const answer = known.get(config) ?? findOut(config, pasted)
  known.set(config, answer)
  return answer
}

async function findOut(config: AnalysedConfig, pasted: SourceFile | undefined): Promise<ConfigSnippets> {
  const { recommended } = config
  if (recommended === undefined) return { kind: 'nothing-fits' }
  if (!isWorthFollowing(config)) return { kind: 'nothing-to-change' }
  if (pasted === undefined) return { kind: 'snippets', snippets: newConfig(config.spec, recommended) }
  const proposal = await proposeChange(pasted, config)
  switch (proposal.kind) {
    case 'nothing-to-change':
      return proposal
    case 'change':
      return { kind: 'snippets', snippets: [{ title: 'Your config with the new sizes', text: proposal.after }] }
    case 'by-hand':
      return { kind: 'by-hand', why: byHand(proposal.why), plan: recommended }
  }
}

function byHand(why: ByHand): string {
  switch (why.kind) {
    case 'not-in-file':
      return `The config leaves the ${why.setting} to its tool's default, so there is no line to replace.`
    case 'not-plain':
      return `Line ${why.at.line} does not hold the number in plain digits, so please change it by hand.`
    case 'tied-to-other-settings':
      return 'These numbers may be tied to other settings, so please change them by hand.'
  }
}

function newConfig(spec: TrainingSpec, plan: BatchPlan): Snippet[] {
  const { microBatch, gradientAccumulation } = plan
  const trainer = `per_device_train_batch_size: ${microBatch}\ngradient_accumulation_steps: ${gradientAccumulation}\n`
  return [
    ...(spec.framework === 'pytorch' ? [{ title: "For Hugging Face's Trainer", text: trainer }] : []),
    { title: 'As a config that memorymark check reads', text: ownConfig(spec, plan) },
  ]
}
