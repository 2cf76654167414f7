/**
 * EBFT's strided mode, Axolotl core/trainers/ebft/strided.py: in every micro-step the model generates completions at all positions
 * of a sequence and learns from one completed copy after another, while the reference's hidden states score them. Derived from there.
 */

import type { TrainingSpec } from '../../config/spec.ts'
import type { TrainingMethod } from '../../config/training-method.ts'
import type { ModelConfig } from '../../models/architecture.ts'
import type { OtherSequences } from '../tape/autograd.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { markLogits } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { summed } from './log-probabilities.ts'
import type { Objective } from './objective.ts'
import { places, stridedTokens } from './strided-log-probabilities.ts'

type Method = Extract<TrainingMethod, { kind: 'strided-ebft' }>

export function learningFromStrides(tape: Tape, config: ModelConfig, spec: TrainingSpec, method: Method): Objective {
  const tokens = stridedTokens(spec) ?? 0
  answered(tape, config, spec, method, tokens)
  const whole = { ...spec, sequenceLength: tokens }
  const scores = Array.from({ length: method.rollouts }, () => tape.underAutocast(() => forward(tape, config, whole)))
  compared(tape, config, whole, method, tokens)
  return { loss: summed(tape, scores), held: [] }
}

/**
 * _generate_strided_blocks: one eager pass per completion token, with a mask per sequence. During the last one, over all but the
 * last tokens, the previous pass's logits still exist, in float32 as accelerate returns them.
 */
function answered(tape: Tape, config: ModelConfig, spec: TrainingSpec, method: Method, whole: number): void {
  const count = places(method, spec.sequenceLength ?? 0)
  const tokens = whole - count
  const sequences = ofRollouts(method, tokens, { kernel: 'eager', isMasked: true })
  tape.withoutGradients({ of: 'policy', sequences }, () => {
    const mask = tape.tensor([tokens, tokens], tape.weightDtype, [])
    const earlier = (vocabulary: number) => tape.tensor([tokens - count, vocabulary], 'float32', [])
    const vocabulary = vocabularyOf(config)
    const before = markLogits(earlier(vocabulary))
    tape.record('logits', { reads: [], outputs: [before, mask] })
    const logits = markLogits(forward(tape, config, { ...spec, sequenceLength: tokens }))
    const wide = cast(tape, logits, 'float32')
    const sampled = () => tape.storage(count * vocabulary, 'float32', true, 'logits')
    // The positions' logits divided by the temperature, and their softmax.
    const scratch = [sampled(), sampled(), sampled()]
    tape.record('sample', { reads: [logits, wide, before, mask], outputs: [], scratch })
  })
}

/**
 * _compute_block_rewards: all rollouts at once, with every layer's hidden states and all positions' logits. The policy also returns
 * all of that in float32; the frozen copy, which accelerate has not wrapped, does not.
 */
function compared(tape: Tape, config: ModelConfig, spec: TrainingSpec, method: Method, tokens: number): void {
  const isShared = method.reference === 'adapters-off'
  const sequences = ofRollouts(method, tokens, { kernel: 'sdpa', isMasked: isShared })
  const known = tape.blockInputs.length
  tape.withoutGradients({ of: method.reference, sequences }, () => {
    const logits = markLogits(forward(tape, config, spec))
    const states = [...tape.blockInputs.slice(known), tape.outputLayerInput ?? logits]
    const wide = isShared ? [...states, logits].map(x => cast(tape, x, 'float32')) : []
    tape.record('return', { reads: [...states, logits, ...wide], outputs: [] })
  })
}

function ofRollouts(
  { rollouts }: Method,
  tokens: number,
  attention: NonNullable<OtherSequences['attention']>,
): OtherSequences {
  return { perSample: rollouts, tokens, logitsOf: tokens, attention }
}

function vocabularyOf(config: ModelConfig): number {
  const text = 'text_config' in config ? config.text_config : config
  return 'vocab_size' in text ? text.vocab_size : 0
}
