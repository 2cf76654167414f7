/** `rl: grpo`, `gdpo` and `ebft`: core/builders/rl.py, core/trainers/{grpo,ebft}/__init__.py; utils/schemas/{trl,vllm}.py. */
import type { TrainingMethod } from '../../../training/training-method.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { leavesGpusOpen } from '../../fields/gpus.ts'
import { leaveOut } from '../../fields/supplied.ts'
import type { Field, Section } from '../../text/section.ts'
import { readCompletions } from '../../trainer/completions.ts'
import type { Batch } from '../../trainer/language-model.ts'
import { isOn, ordinary, type Training } from '../../trainer/method.ts'

type Generation = Extract<TrainingMethod, { kind: 'online' }>['generation']

export interface Around {
  readonly batch: Batch
  readonly gpus: number
  readonly hasAdapter: boolean
}

export function readGenerated(reader: FieldReader, document: Section, rl: Field, around: Around): Training {
  const { batch, gpus, hasAdapter } = around
  const trl = (key: string) => document.at('trl', key)
  const mode = document.at('ebft', 'mode')
  if (mode !== undefined && reader.text(mode) === 'strided') return refuseStrided(reader, mode)
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
  const isEbft = rl.value.kind === 'text' && rl.value.text === 'ebft'
  return readCompletions(
    reader,
    rl,
    {
      completionLength: trl('max_completion_length'),
      beta: trl('beta') ?? document.at('rl_beta'),
      perPrompt: trl('num_generations'),
      perGeneration: trl('generation_batch_size'),
      rewards: trl('reward_funcs'),
      liger: isEbft ? undefined : trl('use_liger_loss'),
    },
    {
      generation,
      step: { samples: batch.microBatch * batch.gradientAccumulation, gpus, areGpusOpen: leavesGpusOpen(reader) },
      hasAdapter,
      copiesAdapters: true,
      // Axolotl 0.18 asks for TRL 1.8.
      tempersInPlace: true,
      comparesFeatures: isEbft,
    },
  )
}

function refuseStrided(reader: FieldReader, mode: Field): Training {
  reader.refuse(
    mode,
    'unsupported-setting',
    "EBFT's strided mode, which generates from many positions of a sequence at once, is not modelled",
    leaveOut,
  )
  return ordinary
}

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
