/** Arguments of TRL's GRPOTrainer and RLOOTrainer (1.13 trainer/{grpo,rloo}_config.py), and of earlier versions that had more. */
import { wordList } from '../../../base/word-list.ts'
import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { TrainingMethod } from '../../../training/training-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { UnwrittenLength } from '../../fields/model-fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { Field } from '../../text/section.ts'
import { DEFAULT_PER_PROMPT, readCompletions, readGenerating } from '../../trainer/completions.ts'
import { isOn, ordinary, type Training } from '../../trainer/method.ts'
import type { Arguments } from './arguments.ts'
import { unslothAdapters } from './declared.ts'
import type { Find } from './task.ts'

export const completionKeys = wordList(`
  num_generations reward_funcs use_vllm vllm_mode steps_per_generation generation_batch_size scale_rewards epsilon_high
  mask_truncated_completions num_completions_to_print
`)

/** The samples that one GPU processes per step, and the number of GPUs. */
export interface Step {
  readonly microBatch: number
  readonly gradientAccumulation: number
  readonly gpus: number
  readonly areGpusOpen: boolean
  /** The batch size may count prompts. */
  readonly hasOpenUnit?: boolean
}

/** GRPOConfig's, and what teams call it in files of their own. */
const betaKeys = ['beta', 'kl_beta', 'beta_kl', 'kl_coef', 'kl_coeff', 'kl_weight']

/** RLOOConfig's beta and num_generations. */
const RLOO_BETA = 0.05
const RLOO_PER_PROMPT = 2
/** GRPOConfig.beta: 0 since 0.19 (trl#3516), and in the config that Unsloth makes of it 0.001 (unsloth 2026.4 models/rl.py). */
const GRPO_BETA_BEFORE_19 = 0.04
const UNSLOTH_BETA = 0.001
const rlooKeys = ['normalize_advantages', 'reward_clip_range']

export interface CompletionsBy {
  readonly step: Step
  readonly hasAdapter: boolean
  readonly isUnsloth: boolean
  /** Whether the config is of the class that Unsloth makes of TRL's. */
  readonly hasUnslothDefaults?: boolean
  /** Whether the trainer is known to be TRL's RLOOTrainer; else its own keys tell. */
  readonly ofRloo?: boolean
}

export function readTrlCompletions(
  reader: FieldReader,
  find: Find,
  field: Field,
  { step, hasAdapter, isUnsloth, hasUnslothDefaults = false, ofRloo = false }: CompletionsBy,
): Training {
  if (reader.isTrlBefore('0.15')) {
    // trl#2776
    const message = 'TRL before 0.15 counts a batch in prompts, each with all of its completions, which is not modelled'
    reader.refuse(field, 'unsupported-training', message, leaveOut)
    return ordinary
  }
  const isRloo = ofRloo || find(...rlooKeys) !== undefined
  if (isRloo && reader.isTrlBefore('0.22')) {
    // trl#3801
    const message = 'RLOO of TRL before 0.22, which scores its completions with a reward model, is not modelled'
    reader.refuse(field, 'unsupported-training', message, leaveOut)
    return ordinary
  }
  const generation = readGeneration(reader, find, isUnsloth)
  const generates = readGenerating(reader, find('steps_per_generation'), step.gradientAccumulation)
  if (generation === undefined || generates === undefined) return ordinary
  const beta = find(...betaKeys)
  // trl#3283: since 0.17 for all micro-batches of a step at once, unless steps_per_generation says otherwise.
  const ofEachBatch = reader.isTrlBefore('0.17') || generates === 'of-each-batch' || undefined
  return readCompletions(
    reader,
    field,
    {
      completionLength: find('max_completion_length'),
      beta,
      perPrompt: step.hasOpenUnit ? undefined : find('num_generations'),
      perGeneration: find('generation_batch_size'),
      rewards: find('reward_model_name_or_path') ?? find('reward_funcs'),
      liger: isRloo || isUnsloth ? undefined : ligerField(reader, find),
    },
    {
      generation,
      step: {
        samples: step.microBatch * (ofEachBatch ? 1 : step.gradientAccumulation),
        gpus: step.gpus,
        areGpusOpen: step.areGpusOpen,
      },
      hasAdapter,
      tempersInPlace: false,
      ofEachBatch,
      ...(isRloo && { defaultPerPrompt: RLOO_PER_PROMPT }),
      ...(beta === undefined && {
        defaultBeta: isRloo ? RLOO_BETA : betaOfGrpo(reader, find, hasUnslothDefaults),
      }),
    },
  )
}

function betaOfGrpo(reader: FieldReader, find: Find, hasUnslothDefaults: boolean): number {
  if (hasUnslothDefaults) {
    reader.assume(`A beta of ${UNSLOTH_BETA}, Unsloth's default: the config sets none.`)
    return UNSLOTH_BETA
  }
  const isOld = reader.versions.trl === undefined && find(...argumentsBefore18) !== undefined
  if (!reader.isTrlBefore('0.19') && !isOld) return 0
  reader.assume(`A beta of ${GRPO_BETA_BEFORE_19}, the default of TRL before 0.19: the config sets none.`)
  return GRPO_BETA_BEFORE_19
}

/** GRPOConfig.use_liger_loss since 0.17, and in its place TrainingArguments.use_liger_kernel since 0.25. */
function ligerField(reader: FieldReader, find: Find): Field | undefined {
  if (reader.isTrlBefore('0.17')) return undefined
  return find('use_liger_loss') ?? (reader.isTrlBefore('0.25') ? undefined : find('use_liger_kernel'))
}

/** GRPOConfig.max_prompt_length, in the versions that had it: since 0.28 nothing cuts prompts (trl#5056, trl#5964). */
const DEFAULT_PROMPT = 512

/** Tokens of a prompt and its answer. */
export function lengthWithCompletions(reader: FieldReader, find: Find, completionLength: number): UnwrittenLength {
  const prompt = find('max_prompt_length')
  const tokens = ((prompt && reader.wholeNumber(prompt, { max: MAX_BATCH })) ?? DEFAULT_PROMPT) + completionLength
  return { tokens, isKnown: prompt !== undefined || reader.isTrlBefore('0.28') }
}

type Generation = Extract<TrainingMethod, { kind: 'online' }>['generation']

/** GRPOConfig.vllm_gpu_memory_utilization. */
const DEFAULT_SHARE = 0.3

/** GRPOConfig.vllm_mode: on the training GPU by default. */
function readGeneration(reader: FieldReader, find: Find, isUnsloth: boolean): Generation | undefined {
  if (!isOn(reader, find('use_vllm'))) return servedByVerifiers(reader, find) ?? { kind: 'transformers' }
  const mode = find('vllm_mode')
  if (mode === undefined && isElsewhere(reader, find, isUnsloth)) return { kind: 'server' }
  const name = reader.text(mode) ?? 'colocate'
  if (name === 'server') return { kind: 'server' }
  if (name !== 'colocate') {
    return reader.refuse(mode, 'unknown-value', `vLLM has no mode ${name}`, 'Use server or colocate.')
  }
  const share = reader.share(find('vllm_gpu_memory_utilization')) ?? DEFAULT_SHARE
  return { kind: 'vllm', share, sleeps: isOn(reader, find('vllm_enable_sleep_mode')) }
}

/** Arguments that GRPOConfig of verifiers has, and TRL's has not. */
const argumentsOfVerifiers = ['async_generation_timeout', 'num_batches_ahead', 'async_max_queue_size']

/** verifiers 0.1 trainers/grpo_trainer.py: a vLLM server generates, whatever use_vllm says. */
function servedByVerifiers(reader: FieldReader, find: Find): Generation | undefined {
  const own = find(...argumentsOfVerifiers)
  if (own === undefined) return undefined
  reader.assume(
    `A vLLM server on its own GPUs generates, as verifiers' GRPOTrainer has it, which alone takes ${own.name} (line ${own.at.line}).`,
  )
  return { kind: 'server' }
}

/**
 * TRL before 1.0 (trl#5255) generates on GPUs that do not train: on the next one (`vllm_device`, before 0.16), or on a server's.
 * Unsloth keeps vLLM inside the model.
 */
function isElsewhere(reader: FieldReader, find: Find, isUnsloth: boolean): boolean {
  const device = find('vllm_device')
  if (device?.value.kind === 'text' && device.value.text === 'cuda:0') return false
  if (device === undefined && (isUnsloth || reader.isTrlBefore('1.0'))) return !isUnsloth
  const [only, release] =
    [[find(...argumentsBefore18), '0.18'] as const, [find(...argumentsBefore28), '0.28'] as const].find(
      ([field]) => field !== undefined,
    ) ?? []
  if (only === undefined || (device === undefined && reader.versions.trl !== undefined)) return false
  reader.assume(
    `vLLM generates on a GPU that does not train, as TRL before ${release} does by default, which alone takes ${only.name} (line ${only.at.line}); a machine with one GPU shares it.`,
  )
  return true
}

/** GRPOConfig of TRL 0.17 has them, and that of 0.18 has them no more. */
export const argumentsBefore18: readonly string[] = [
  'vllm_device',
  'vllm_dtype',
  'vllm_max_model_len',
  'vllm_enable_prefix_caching',
]
/** The same of 0.27 and 0.28. */
const argumentsBefore28 = ['max_prompt_length', 'vllm_guided_decoding_regex']

/**
 * unsloth 2026.4 models/rl_replacements.py grpo_trainer_fix_batch_size: where the completions of a step are no whole number of
 * prompts, the batch becomes the completions of one prompt.
 */
export function raisedByUnsloth(
  reader: FieldReader,
  { find, declared, batchSize }: Arguments,
  microBatch: number | undefined,
  batchesOfStep: number,
): number | undefined {
  const isGrpo = declared?.trainer === 'grpo' && declared.adaptersOf === unslothAdapters
  if (!isGrpo || find('generation_batch_size', 'steps_per_generation') !== undefined) return microBatch
  const field = find('num_generations')
  const perPrompt = (field && reader.wholeNumber(field, { max: MAX_BATCH })) ?? DEFAULT_PER_PROMPT
  if (microBatch === undefined || (microBatch * batchesOfStep) % perPrompt === 0) return microBatch
  reader.assume(
    `A batch size of ${perPrompt} in place of ${microBatch}: Unsloth raises it to the completions of one prompt, num_generations.`,
  )
  return reader.note('microBatch', perPrompt, field ?? batchSize ?? "Unsloth's default")
}
