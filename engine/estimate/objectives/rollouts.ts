/**
 * torchtune's GRPO and PPO, recipes/dev/grpo_full_finetune_distributed.py and recipes/ppo_full_finetune_single_device.py: the
 * policy generates, the models score, and then one pass learns from that. Derived from there.
 */

import type { ModelConfig } from '../../models/architecture.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { TrainingMethod } from '../../training/training-method.ts'
import type { OtherSequences } from '../tape/autograd.ts'
import { KeyValueCache } from '../tape/key-value-cache.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import type { Tensor } from '../tape/storage.ts'
import { markLogits } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { rolloutLogProbabilities, summed } from './log-probabilities.ts'
import type { Objective } from './objective.ts'

type Method = Extract<TrainingMethod, { kind: 'rollouts' }>

const VALUES = 'value'
const REWARDS = 'reward'

export function learningFromTrajectories(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  method: Method,
): Objective {
  const { completionLength, withCritic } = method
  const before = tape.beforehand(() => {
    answered(tape, config, spec, method)
    scored(tape, config, spec, method)
  })
  const policy = rolloutLogProbabilities(tape, forward(tape, config, spec), completionLength, withCritic)
  const critic = withCritic ? [tape.ofModel(VALUES, () => forward(tape, config, judging(spec)))] : []
  return { loss: summed(tape, [policy, ...critic]), held: [], before }
}

/** torchtune generation: a cache of the full length, and float32 logits of every prompt token, of which only one is used. */
function answered(tape: Tape, config: ModelConfig, spec: TrainingSpec, method: Method): void {
  const tokens = spec.sequenceLength ?? method.completionLength
  const prompt = Math.max(1, tokens - method.completionLength)
  const cache = new KeyValueCache()
  cache.begin(tokens)
  tape.withoutGradients({ of: 'policy', sequences: { ...sequencesOf(method, prompt), cache } }, () =>
    logitsIn32Bits(tape, forward(tape, config, { ...spec, sequenceLength: prompt })),
  )
  tape.record('return', { reads: cache.kept, outputs: [] })
}

/** The reference's logits, and in PPO the values and the rewards of every token. */
function scored(tape: Tape, config: ModelConfig, spec: TrainingSpec, method: Method): void {
  const sequences = sequencesOf(method, spec.sequenceLength ?? method.completionLength)
  tape.withoutGradients({ of: 'copy', sequences }, () => logitsIn32Bits(tape, forward(tape, config, spec)))
  if (!method.withCritic) return
  tape.ofModel(REWARDS, () =>
    tape.withoutGradients({ of: 'copy', sequences }, () => forward(tape, config, judging(spec))),
  )
}

function sequencesOf({ generated, perPrompt }: Method, tokens: number): OtherSequences {
  return { count: generated, perSample: perPrompt, tokens, logitsOf: tokens }
}

function logitsIn32Bits(tape: Tape, raw: Tensor): void {
  const logits = cast(tape, markLogits(raw), 'float32')
  tape.record('return', { reads: [logits], outputs: [] })
}

/** modules/classifier: an output layer with one number per token. */
function judging(spec: TrainingSpec): TrainingSpec {
  return { ...spec, task: 'sequence-classification', labels: 1 }
}
