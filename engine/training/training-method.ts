/** The training method: how the loss is computed, where it is not the model's own on labels. */
import * as z from 'zod'
import { batchSize } from './batch-size.ts'
import { withCurrentWords } from './earlier-words.ts'

/**
 * Whose way of computing log-probabilities: `trl` sequence by sequence, keeping the logits; `trl-copied` from a copy, keeping both, as
 * DPO of TRL 0.29 to 1.5 does; `llamafactory` all at once, keeping both; `torchtune` all at once, over a copy divided by the
 * temperature, freeing the logits; `openrlhf` all at once, by a fused cross-entropy of float32 logits.
 */
const logProbabilityStyles = ['trl', 'trl-copied', 'llamafactory', 'torchtune', 'openrlhf'] as const
export type LogProbabilityStyle = (typeof logProbabilityStyles)[number]

/**
 * The reference model: none (or results computed beforehand), the policy's own base weights with the adapters disabled, or a
 * frozen copy of the model.
 */
const references = ['none', 'adapters-off', 'copy'] as const
/** The type of a copy's weights, where it is not the policy's. */
const referenceType = z.literal('float32').optional()

/** How the loss is computed, where it is not the model's own on labels. */
const currentMethod = z.discriminatedUnion('kind', [
  /** DPO, IPO, SimPO, CPO, ORPO: the chosen and the rejected response of a sample go through the model in one batch. */
  z.object({
    kind: z.literal('preference'),
    reference: z.enum(references),
    referenceType,
    logProbabilities: z.enum(logProbabilityStyles),
    /** ORPO and CPO: an additional cross-entropy over the chosen responses. */
    withCrossEntropy: z.boolean(),
  }),
  /** KTO: one response per sample, plus another sample's, which goes through policy and reference without gradients. */
  z.object({
    kind: z.literal('kto'),
    reference: z.enum(references),
    referenceType,
    logProbabilities: z.enum(logProbabilityStyles),
  }),
  /**
   * Reward models. `score`: a one-label classifier over the chosen and the rejected response. `value`: LLaMA-Factory's value head
   * next to the output layer, whose logits are computed and dropped. `steps`: a two-label score for every token.
   */
  z.object({ kind: z.literal('reward'), head: z.enum(['score', 'value', 'steps']) }),
  /**
   * torchtune's distillation: a frozen teacher from the catalogue processes the same batch, and the student learns its distribution
   * as well as the labels, from logits in `chunks`.
   */
  z.object({
    kind: z.literal('distillation'),
    teacher: z.string().min(1).max(200),
    chunks: z.number().int().min(1).max(1_000),
  }),
  /** LLaMA-Factory's ASFT: a frozen copy processes the same batch, and the divergence from it is added to a weighted cross-entropy. */
  z.object({ kind: z.literal('asft') }),
  /** Axolotl's masked diffusion: with bidirectional attention, the masked tokens are predicted. */
  z.object({ kind: z.literal('masked-diffusion') }),
  /**
   * GRPO and its variants (GDPO, DAPO, GSPO, RLOO, EBFT): sequences end in the model's own completions, which are scored against
   * one another and learnt from.
   */
  z.object({
    kind: z.literal('online'),
    /** `adapters-copy`: the same model with a frozen copy of the adapters, which TRL makes if it is given a model with adapters. */
    reference: z.enum([...references, 'adapters-copy']),
    referenceType,
    /** Tokens of the longest completion. */
    completionLength: z.number().int().min(1).max(10_000_000),
    /** Completions that are generated and scored at a time on one GPU: those of all micro-batches until the next generation. */
    completions: batchSize,
    /** TRL before 0.17, and `steps_per_generation: 1`: completions are generated for each micro-batch by itself, whatever its size. */
    ofEachBatch: z.literal(true).optional(),
    /** verl: sequences in a pass that scores them before the step. */
    scored: batchSize.optional(),
    /**
     * verl: the entropies of the update, `trained` as a part of the loss, or `logged` beside it; `always` as before 0.4, where the
     * loss has them whatever their coefficient is. Absent where it computes none.
     */
    entropies: z.enum(['trained', 'logged', 'always']).optional(),
    /** verl without torch.compile: entropies are computed operation by operation, of rows without padding too. */
    eagerEntropies: z.literal(true).optional(),
    /** verl's PPO: what a critic of the policy's own size leaves on the GPU during the policy's update. Absent where there is none. */
    criticHolds: z
      .array(z.enum(['weights', 'optimizerState']))
      .max(2)
      .optional(),
    /** What generates them: a server that uses no memory here, vLLM in a share of this GPU, or transformers' `generate`. */
    generation: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('server') }),
      z.object({
        kind: z.literal('vllm'),
        share: z.number().min(0).max(1),
        sleeps: z.boolean(),
        /** What waits on the host meanwhile, and is back for the step. */
        movedOut: z
          .array(z.enum(['weights', 'optimizerState']))
          .max(2)
          .optional(),
      }),
      z.object({ kind: z.literal('transformers') }),
    ]),
    /** Whether the logits are divided by the temperature in place, as in TRL 1.0 to 1.9, or in a copy, as in 1.13. */
    tempersInPlace: z.boolean(),
    /** EBFT: whether the reference's hidden states score the completions. */
    comparesFeatures: z.boolean(),
  }),
  /** torchtune's GRPO and PPO: completions are generated and compared with a frozen copy's, then one pass over all their logits learns from them. */
  z.object({
    kind: z.literal('rollouts'),
    completionLength: z.number().int().min(1).max(10_000_000),
    /** Completions per prompt, which together are one sample. */
    perPrompt: z.number().int().min(1).max(10_000),
    /** Samples for which completions are generated at a time, and from which batches are cut. */
    generated: batchSize,
    collected: batchSize,
    /** PPO: a value model that is trained, and a reward model that is not, both as large as the policy. */
    withCritic: z.boolean(),
    /** Whether the recipe accumulates gradients. */
    accumulates: z.boolean(),
  }),
])

/** As reports and calibration files say it, those of version 1 too. */
export const trainingMethod = z.preprocess(withCurrentWords, currentMethod)

export type TrainingMethod = z.infer<typeof trainingMethod>
