/** torchtune's recipes that learn from completions: dev/grpo_full_finetune_distributed.py, ppo_full_finetune_single_device.py. */

import { MAX_BATCH } from '../../../training/batch-size.ts'
import type { Default, FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { Field, Section } from '../../text/section.ts'
import { type Batch, readBatch } from '../../trainer/language-model.ts'
import { isOn, ordinary, type Training } from '../../trainer/method.ts'

/** What these recipes read differently from the others. */
export interface Trajectories {
  readonly training: Training
  readonly batch: Batch
  /** Tokens of a prompt and its answer. */
  readonly length: Default<number>
}

/** Both recipes require it. */
const FEW_TOKENS = 512
/** Prompts of an open tokenizer.max_seq_len. */
const DEFAULT_PROMPT = 512

export function readTrajectories(reader: FieldReader, document: Section, loss: Field, name: string): Trajectories {
  const number = (key: string, byDefault: number) => {
    const field = document.at(key)
    return (field && reader.wholeNumber(field, { max: MAX_BATCH })) ?? byDefault
  }
  const completionLength = number('max_generated_tokens', FEW_TOKENS)
  const isPpo = /PPO/.test(name)
  const batch = isPpo ? ppoBatch(reader, document) : grpoBatch(reader, document)
  const training = isPpo
    ? ppo(reader, document, loss, { batch, completionLength, number })
    : grpo(reader, loss, { batch, completionLength, number })
  return { training, batch, length: lengthOf(reader, document, completionLength) }
}

interface Terms {
  readonly batch: Batch
  readonly completionLength: number
  readonly number: (key: string, byDefault: number) => number
}

function grpo(reader: FieldReader, loss: Field, { batch, completionLength, number }: Terms): Training {
  const perPrompt = number('grpo_samples', 1)
  reader.assume(
    `A sample is ${perPrompt} completions of up to ${completionLength} tokens for one prompt, all in one forward pass. The reference is a frozen copy of the model.`,
  )
  tellOfSpeed(reader)
  const collected = batch.microBatch
  const generated = number('forward_batch_size', collected)
  const terms = { completionLength, perPrompt, generated, collected, withCritic: false, accumulates: false } as const
  return { method: reader.note('method', { kind: 'rollouts', ...terms }, loss), dropout: false }
}

function ppo(
  reader: FieldReader,
  document: Section,
  loss: Field,
  { batch, completionLength, number }: Terms,
): Training {
  const inBackward = document.at('optimizer_in_bwd')
  const optimizer = document.at('optimizer', '_component_')
  if (isOn(reader, inBackward) && optimizer?.value.kind === 'text' && /Paged/.test(optimizer.value.text)) {
    const message = 'A paged optimizer with optimizer_in_bwd is not modelled yet'
    reader.refuse(optimizer, 'unsupported-setting', message, leaveOut)
    return ordinary
  }
  reader.assume(
    `Four models: the policy and a value model are trained; a frozen copy and a reward model score completions of up to ${completionLength} tokens. Each is counted as large as the policy.`,
  )
  reader.assume(
    'The batch is that of one backward pass: ppo_batch_size / gradient_accumulation_steps. batch_size must stay a multiple of it.',
  )
  tellOfSpeed(reader)
  const collected = batch.microBatch * batch.gradientAccumulation
  const generated = number('forward_batch_size', collected)
  const accumulates = !isOn(reader, inBackward)
  const terms = { completionLength, perPrompt: 1, generated, collected, withCritic: true, accumulates } as const
  return { method: reader.note('method', { kind: 'rollouts', ...terms }, loss), dropout: false }
}

function tellOfSpeed(reader: FieldReader): void {
  reader.assume('Throughput is that of the training step; the time that generation takes is not modelled.')
}

/** The recipe has no accumulation. */
function grpoBatch(reader: FieldReader, document: Section): Batch {
  const defaultBatch = { value: 1, source: 'not in the file' }
  return readBatch(reader, { batchSize: document.at('batch_size'), defaultBatch, accumulation: undefined })
}

/** The recipe divides ppo_batch_size by the accumulation: a suggestion that writes a micro-batch there would be wrong. */
function ppoBatch(reader: FieldReader, document: Section): Batch {
  const whole = document.at('ppo_batch_size')
  const all = (whole && reader.wholeNumber(whole, { max: MAX_BATCH })) ?? 1
  const parts = document.at('gradient_accumulation_steps')
  const gradientAccumulation = (parts && reader.wholeNumber(parts, { max: MAX_BATCH })) ?? 1
  const microBatch = Math.max(1, Math.floor(all / gradientAccumulation))
  reader.note('microBatch', microBatch, whole ?? 'not in the file')
  reader.note('gradientAccumulation', gradientAccumulation, parts ?? 'no accumulation')
  return { microBatch, gradientAccumulation, batchSize: undefined, accumulation: undefined }
}

function lengthOf(reader: FieldReader, document: Section, completionLength: number): Default<number> {
  const field = document.at('tokenizer', 'max_seq_len')
  const isOpen = field === undefined || field.value.kind === 'empty'
  const prompt = (isOpen ? undefined : reader.wholeNumber(field, { max: 10_000_000 })) ?? DEFAULT_PROMPT
  const why = isOpen ? 'tokenizer.max_seq_len is not set' : 'the limit in tokenizer.max_seq_len'
  return {
    value: prompt + completionLength,
    source: 'prompt and completion',
    assumption: `Sequences of ${prompt + completionLength} tokens: prompts of up to ${prompt} (${why}), and their completions.`,
  }
}
