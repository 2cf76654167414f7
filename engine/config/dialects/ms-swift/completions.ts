/**
 * `swift rlhf --rlhf_type grpo`: TRL's GRPOTrainer with defaults of its own (ms-swift 4.5 swift/arguments/rlhf_args.py,
 * swift/rlhf_trainers/{args_mixin,arguments,grpo_trainer,rollout_mixin}.py).
 */
import type { TrainingMethod } from '../../../training/training-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { leavesGpusOpen } from '../../fields/gpus.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { Field, Section } from '../../text/section.ts'
import { readCompletions, readGenerating } from '../../trainer/completions.ts'
import type { Batch, Sequence } from '../../trainer/language-model.ts'
import { isOn, ordinary, type Training } from '../../trainer/method.ts'

type Generation = Extract<TrainingMethod, { kind: 'online' }>['generation']

export interface Around {
  readonly batch: Batch
  readonly gpus: number
  readonly hasAdapter: boolean
}

const DEFAULT_BETA = 0.04
const DEFAULT_COMPLETION_LENGTH = 512
/** vLLM's own. */
const DEFAULT_SHARE = 0.9
/** Where nothing cuts prompts; TRL's limit, as long as it had one. */
const ASSUMED_PROMPT = 512

export function readGrpo(reader: FieldReader, document: Section, field: Field, around: Around): Training {
  const { batch, gpus, hasAdapter } = around
  const generation = readGeneration(reader, document)
  const generates = readGenerating(reader, document.at('steps_per_generation'), batch.gradientAccumulation)
  if (refusesBeside(reader, document) || generation === undefined || generates === undefined) return ordinary
  // A server that is passed the data may take several turns, which make sequences longer.
  const turns = ['use_gym_env', 'vllm_server_pass_dataset'].map(key => document.at(key))
  for (const field of turns) if (isOn(reader, field)) reader.uncounted.push(field)
  const ofEachBatch = generates === 'of-each-batch' || undefined
  return readCompletions(
    reader,
    field,
    {
      completionLength: lengthField(document),
      beta: document.at('beta'),
      perPrompt: document.at('num_generations'),
      perGeneration: document.at('generation_batch_size'),
      rewards: undefined,
      liger: document.at('use_liger_kernel'),
    },
    {
      generation,
      step: {
        samples: batch.microBatch * (ofEachBatch ? 1 : batch.gradientAccumulation),
        gpus,
        areGpusOpen: leavesGpusOpen(reader),
      },
      hasAdapter,
      tempersInPlace: false,
      ofEachBatch,
      defaultBeta: DEFAULT_BETA,
      defaultLength: DEFAULT_COMPLETION_LENGTH,
    },
  )
}

/** `max_length` cuts the prompt alone. */
export function sequenceWithCompletions(reader: FieldReader, document: Section): Sequence {
  const length = (field: Field | undefined) => reader.wholeNumber(field, { max: 10_000_000 })
  const completion = length(lengthField(document)) ?? DEFAULT_COMPLETION_LENGTH
  const prompt = length(document.at('max_length'))
  const value = (prompt ?? ASSUMED_PROMPT) + completion
  const assumption =
    prompt === undefined
      ? `Sequences of ${value} tokens, ${ASSUMED_PROMPT} of them a prompt's: no max_length is set, and ms-swift then cuts prompts only at the limit of the model.`
      : `Sequences of ${value} tokens: of a prompt by max_length and a completion by max_completion_length.`
  return { field: undefined, byDefault: { value, source: prompt === undefined ? 'assumed' : 'max_length', assumption } }
}

/** By its names of today and of earlier releases. */
function lengthField(document: Section): Field | undefined {
  return ['response_length', 'max_new_tokens', 'max_completion_length']
    .map(key => document.at(key))
    .find(field => field !== undefined)
}

/** Other models on these GPUs, losses in addition, and rows of another form than TRL's. */
function refusesBeside(reader: FieldReader, document: Section): boolean {
  const switched = ['padding_free', 'use_lmdeploy'].map(key => document.at(key)).filter(each => isOn(reader, each))
  const written = [
    'reward_model',
    'teacher_model',
    'ref_adapters',
    'multi_turn_scheduler',
    'multi_turn_func',
    'chord_sft_dataset',
    'num_infer_workers',
  ].map(key => document.at(key))
  const other = document.at('rollout_backend')
  const refused = [...switched, ...written, ...(other?.source === 'vllm' ? [] : [other])].find(
    each => each !== undefined,
  )
  if (refused === undefined) return false
  const message = `GRPO of ms-swift with ${refused.key} is not modelled yet`
  reader.refuse(refused, 'unsupported-training', message, leaveOut)
  return true
}

/** vLLM moves out with `sleep_level`, and what trains with `offload_model` and `offload_optimizer`. */
function readGeneration(reader: FieldReader, document: Section): Generation | undefined {
  if (!isOn(reader, document.at('use_vllm'))) return { kind: 'transformers' }
  const mode = document.at('vllm_mode')
  const isServed = ['vllm_server_host', 'vllm_server_base_url'].some(key => document.at(key) !== undefined)
  const name = reader.text(mode) ?? (isServed ? 'server' : 'colocate')
  if (name === 'server') return { kind: 'server' }
  if (name !== 'colocate')
    return reader.refuse(mode, 'unknown-value', `vLLM has no mode ${name}`, 'Use server or colocate.')
  const share = reader.share(document.at('vllm_gpu_memory_utilization')) ?? DEFAULT_SHARE
  const level = document.at('sleep_level')
  const sleeps = level?.value.kind === 'number' && level.value.number > 0
  const movedOut = [
    ...(isOn(reader, document.at('offload_model')) ? (['weights'] as const) : []),
    ...(isOn(reader, document.at('offload_optimizer')) ? (['optimizerState'] as const) : []),
  ]
  return { kind: 'vllm', share, sleeps, ...(movedOut.length > 0 && { movedOut }) }
}
