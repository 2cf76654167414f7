/** `rl: grpo`, `gdpo` and `ebft`: core/builders/rl.py, core/trainers/{grpo,ebft}/__init__.py; utils/schemas/{trl,vllm}.py. */
import type { FieldReader } from '../../fields.ts'
import type { Batch } from '../../language-model.ts'
import type { Field, Section } from '../../section.ts'
import { readCompletions } from '../../trainer/completions.ts'
import { isOn, ordinary, type Training } from '../../trainer/method.ts'
import type { TrainingMethod } from '../../training-method.ts'

type Generation = Extract<TrainingMethod, { kind: 'online' }>['generation']

export interface Around {
  readonly batch: Batch
  readonly gpus: number
  readonly hasAdapter: boolean
}

export function readGenerated(reader: FieldReader, document: Section, rl: Field, around: Around): Training {
  const { batch, gpus, hasAdapter } = around
  const trl = (key: string) => document.at('trl', key)
  if (reader.text(document.at('ebft', 'mode')) === 'strided') return readStrided(reader, document, rl, hasAdapter)
  const generation = readGeneration(reader, document)
  if (generation === undefined) return ordinary
  const prefetches = trl('async_prefetch')
  if (isOn(reader, prefetches)) {
    reader.assumeMore(
      'The step is counted as the synchronous trainer runs it, although async_prefetch uses one that keeps its logits in 16 bits: the estimate is high.',
    )
  }
  const turns = document.at('nemo_gym_multi_turn')
  if (isOn(reader, turns)) reader.assume('Only one turn is counted: more turns would make the sequences longer.')
  return readCompletions(
    reader,
    rl,
    {
      completionLength: trl('max_completion_length'),
      beta: trl('beta') ?? document.at('rl_beta'),
      perPrompt: trl('num_generations'),
      perGeneration: trl('generation_batch_size'),
      rewards: trl('reward_funcs'),
      liger: trl('use_liger_loss'),
    },
    {
      generation,
      step: { samples: batch.microBatch * batch.gradientAccumulation, gpus },
      hasAdapter,
      copiesAdapters: true,
      // Axolotl 0.18 asks for TRL 1.8.
      tempersInPlace: true,
      comparesFeatures: rl.value.kind === 'text' && rl.value.text === 'ebft',
    },
  )
}

/** utils/schemas/config.py EBFTConfig. */
const stridedDefaults = { rollouts: 4, context: 8, stride: 8, completionLength: 8 } as const

/** core/trainers/ebft/strided.py, on one GPU. */
function readStrided(reader: FieldReader, document: Section, rl: Field, hasAdapter: boolean): Training {
  const number = (key: string, byDefault: number, max: number) => {
    const field = document.at('ebft', key)
    return (field && reader.wholeNumber(field, { max })) ?? byDefault
  }
  const coefficient = document.at('ebft', 'ce_coef')?.value
  const method = {
    kind: 'strided-ebft',
    reference: hasAdapter ? 'adapters-off' : 'copy',
    rollouts: number('n_samples_per_prompt', stridedDefaults.rollouts, 64),
    context: number('context_length', stridedDefaults.context, 10_000_000),
    stride: number('stride', stridedDefaults.stride, 10_000_000),
    completionLength: number('generate_max_len', stridedDefaults.completionLength, 10_000_000),
    withCrossEntropy: coefficient?.kind === 'number' && coefficient.number > 0,
  } as const
  reader.assume(
    `Full-length sequences are counted, with ${method.rollouts} rollouts from every start position; a prompt, which has none, would leave fewer. ${references[method.reference]}`,
  )
  reader.assumeMore(
    'From a micro-batch of 2, the estimate is high: completed sequences go through the training pass one by one, but are counted as many at a time as the micro-batch has samples.',
  )
  reader.assume('Throughput counts only one of the generation passes: the others take longer than is modelled.')
  reader.note('method', method, rl)
  return { method }
}

const references = {
  'adapters-off': 'The reference is the same model with its adapters disabled, as when one GPU is visible.',
  copy: 'The reference is a frozen copy of the model on the same GPU; with more GPUs visible it would be on another.',
} as const

/** utils/schemas/vllm.py */
const DEFAULT_SHARE = 0.9

/** utils/schemas/validation.py check_vllm_mode_set: a server by default. */
function readGeneration(reader: FieldReader, document: Section): Generation | undefined {
  if (!isOn(reader, document.at('trl', 'use_vllm'))) return { kind: 'transformers' }
  const mode = document.at('trl', 'vllm_mode')
  const name = reader.text(mode) ?? 'server'
  if (name === 'server') return { kind: 'server' }
  if (name !== 'colocate') {
    return reader.refuse(mode, 'unknown-value', `vLLM has no mode ${name}`, 'Use server or colocate.')
  }
  const share = reader.share(document.at('vllm', 'gpu_memory_utilization')) ?? DEFAULT_SHARE
  return { kind: 'vllm', share, sleeps: isOn(reader, document.at('trl', 'vllm_enable_sleep_mode')) }
}
