/**
 * Methods that learn from the model's own completions: what generating and scoring them holds before the steps, and what a step
 * over them does. TRL trainer/grpo_trainer.py, Axolotl core/trainers/{grpo,ebft}; compared with PyTorch's trace of the same passes.
 */

import type { ModelConfig } from '../../models/architecture.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { TrainingMethod } from '../../training/training-method.ts'
import type { OtherSequences } from '../tape/autograd.ts'
import { KeyValueCache } from '../tape/key-value-cache.ts'
import { forward } from '../tape/lowering.ts'
import { cast } from '../tape/ops/casts.ts'
import { concatenate, elementwise } from '../tape/ops/primitives.ts'
import { bytesPerElement, elements, markLogits, type Tensor } from '../tape/storage.ts'
import type { Tape } from '../tape/tape.ts'
import { answerLogProbabilities, summed } from './log-probabilities.ts'
import type { Objective } from './objective.ts'

type Method = Extract<TrainingMethod, { kind: 'online' }>

export function learningFromCompletions(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  method: Method,
): Objective {
  const before = tape.beforehand(() => {
    if (method.generation.kind === 'transformers') generatedBeforeStep(tape, config, spec, method)
    if (method.comparesFeatures) comparedFeatures(tape, config, spec, method)
    else if (method.reference !== 'none') referencePass(tape, config, spec, method, method.reference)
    if (method.reference === 'adapters-copy') copiedAdapters(tape)
  })
  if (spec.fusedLoss) return { loss: streamed(tape, config, spec), held: [], before }
  const logits = tape.underAutocast(() => forward(tape, config, spec))
  const scores = answerLogProbabilities(tape, logits, { inPlace: method.tempersInPlace })
  return { loss: summed(tape, [scores]), held: [], before }
}

/** TRL trainer/grpo_trainer.py compute_liger_loss calls the model's body and not its `forward`, around which accelerate puts autocast. */
function streamed(tape: Tape, config: ModelConfig, spec: TrainingSpec): Tensor {
  tape.autocastDtype = undefined
  return forward(tape, config, spec)
}

/** TRL processes the completions in micro-batches. */
function referencePass(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  { tempersInPlace: inPlace, referenceType: dtype }: Method,
  reference: Exclude<Method['reference'], 'none'>,
): void {
  const of = reference === 'adapters-copy' ? 'policy' : reference
  const logits = tape.withoutGradients({ of, dtype }, () => forward(tape, config, spec))
  tape.withoutGradients({ of }, () => answerLogProbabilities(tape, logits, { inPlace }))
}

/** Before the first step, the policy has already generated or scored completions, so its adapters are already recorded. */
function copiedAdapters(tape: Tape): void {
  const adapters = [...tape.parameters].filter(([, parameter]) => parameter.requiresGrad)
  for (const [name, parameter] of adapters) {
    tape.buffer(`ref.${name}`, elements(parameter) * bytesPerElement[parameter.dtype])
  }
}

function generatedBeforeStep(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  { completionLength, completions: count }: Method,
): void {
  const tokens = spec.sequenceLength ?? completionLength
  generated(tape, config, spec, { passes: [Math.max(1, tokens - completionLength), tokens], count })
}

interface Generated extends Pick<OtherSequences, 'count' | 'perSample'> {
  /** Tokens whose keys and values are cached after each pass that is recorded: the first is over the prompt. */
  readonly passes: readonly number[]
}

/** transformers generation/utils.py: one pass over the prompts, then one per token; the last one sees the whole cache. */
export function generated(tape: Tape, config: ModelConfig, spec: TrainingSpec, { passes, ...rows }: Generated): void {
  const cache = new KeyValueCache()
  for (const [index, upTo] of passes.entries()) {
    const tokens = index === 0 ? upTo : 1
    cache.begin(upTo)
    const pass = { of: 'policy', sequences: { ...rows, tokens, logitsOf: 1, cache } } as const
    tape.withoutGradients(pass, () => sampled(tape, forward(tape, config, { ...spec, sequenceLength: tokens })))
  }
  tape.record('return', { reads: cache.kept, outputs: [] })
}

/** transformers generation/utils.py _sample: a float32 copy of the last logits, divided by the temperature, and its softmax. */
function sampled(tape: Tape, logits: Tensor): void {
  const wide = markLogits(elementwise(tape, 'copy', cast(tape, markLogits(logits), 'float32')))
  markLogits(elementwise(tape, 'softmax', markLogits(elementwise(tape, 'div', wide))))
}

/**
 * Axolotl core/trainers/ebft/rewards.py extract_hidden_states: all completions at once, with the hidden states of every layer.
 * With adapters, the output layer runs too; a frozen copy's does not.
 */
function comparedFeatures(
  tape: Tape,
  config: ModelConfig,
  spec: TrainingSpec,
  { reference, completions: count }: Method,
): void {
  const tokens = spec.sequenceLength ?? 1
  const of = reference === 'copy' ? 'copy' : 'adapters-off'
  const blocks = tape.blockInputs.length
  const sequences = { count, tokens, logitsOf: of === 'copy' ? 1 : tokens }
  tape.withoutGradients({ of, sequences }, () => {
    const logits = markLogits(forward(tape, config, spec))
    const states = [...tape.blockInputs.slice(blocks), tape.outputLayerInput ?? logits]
    const features = concatenate(tape, states.slice(0, FEATURE_LAYERS))
    tape.record('return', { reads: [...states, logits, features], outputs: [] })
  })
}

/** Axolotl's default: at a quarter, half and three quarters of the depth. */
const FEATURE_LAYERS = 3
