/** What of a script only earlier releases of TRL and transformers take or have. */
import { wordSet } from '../../../base/word-list.ts'
import { argumentsBefore18 } from '../../dialects/huggingface/completions.ts'
import type { Declared, DeclaredTrainer, OfOldTrl } from '../../dialects/huggingface/declared.ts'
import type { Module } from '../syntax/module.ts'
import type { Value } from '../values/values.ts'
import { fieldOf, saidBy } from './fields.ts'
import { isOfUnsloth, type ModelChain } from './model-chain.ts'
import type { Told } from './told-arguments.ts'

/** Unsloth's patched classes take the old names whatever release they patch. */
export function ofEarlierReleases(
  told: Told,
  trainer: DeclaredTrainer,
  ofTrainer: ReadonlyMap<string, Value>,
  chain: ModelChain,
  file: Module,
): Pick<Declared, 'ofOldTrl' | 'ofOldTransformers'> {
  if (isOfUnsloth(chain)) return {}
  const ofOldTrl =
    trainer === 'trainer' ? undefined : (argumentOfOldTrl(told, trainer, ofTrainer, file) ?? oldName(file))
  const [old] = [...ofTrainer, ...told.values].filter(
    ([key]) => (ofTrainer.has(key) ? trainerKeysBefore5 : argumentsBefore5).has(key) && key !== 'args',
  )
  const ofOldTransformers = old === undefined ? ofOldTrl?.field : fieldOf(...old, file)
  return { ...(ofOldTrl && { ofOldTrl }), ...(ofOldTransformers && { ofOldTransformers }) }
}

function argumentOfOldTrl(
  { of, values }: Told,
  trainer: DeclaredTrainer,
  ofTrainer: ReadonlyMap<string, Value>,
  file: Module,
): OfOldTrl | undefined {
  const given = [...values].find(
    ([key, { kind }]) =>
      of === 'trl' &&
      kind !== 'none' &&
      (key === 'max_seq_length' || (trainer === 'grpo' && argumentsBefore18.includes(key))),
  )
  const ofSft = trainer === 'sft' ? keyOfOldSft(ofTrainer) : undefined
  const old = ofSft ?? given ?? [...ofTrainer].find(([key, { kind }]) => key === 'tokenizer' && kind !== 'none')
  return old && { field: fieldOf(...old, file), until: '0.20', is: 'taken' }
}

/** Parameters of TRL 0.12's SFTTrainer that 0.13's has no more; its `tokenizer` was `processing_class` to 0.15 (trainer/sft_trainer.py). */
export function keyOfOldSft(ofTrainer: ReadonlyMap<string, Value>): readonly [string, Value] | undefined {
  return [...ofTrainer].find(
    ([key, { kind }]) =>
      /^(?:max_seq_length|dataset_text_field|packing|dataset_num_proc)$/.test(key) && kind !== 'none',
  )
}

/** A name that the file imports from TRL. */
function oldName(file: Module): OfOldTrl | undefined {
  const imported = [...file.top.bindings.values()]
    .flat()
    .flatMap(({ value, at }) =>
      value.kind === 'import' && value.member !== undefined && /^trl(?:$|\.(?!experimental))/.test(value.from)
        ? [{ member: value.member, at }]
        : [],
    )
  for (const [until, names] of namesUntil) {
    const found = imported.find(({ member }) => names.has(member))
    if (found === undefined) continue
    const { member, at } = found
    const from = file.text.lastIndexOf(member, at)
    const here = { module: file, from, to: from + member.length, remarks: [] }
    return { field: saidBy(here, member, { kind: 'text', text: member }, file), until, is: 'exported' }
  }
  return undefined
}

/** What trl/__init__.py and trl/trainer/utils.py have no more, by the release, the oldest first. */
const namesUntil: readonly (readonly [OfOldTrl['until'], ReadonlySet<string>])[] = [
  ['0.20', wordSet('DataCollatorForCompletionOnlyLM ConstantLengthDataset')],
  ['0.26', wordSet('setup_chat_format')],
  ['0.29', wordSet('CPOConfig CPOTrainer ORPOConfig ORPOTrainer')],
]

/** transformers 5.18 trainer.py and TRL 1.13 trainer/sft_trainer.py have them no more. */
const trainerKeysBefore5: ReadonlySet<string> = wordSet(`
  tokenizer max_seq_length dataset_text_field packing dataset_num_proc
`)

/** Of TrainingArguments of 4.x, and not of 5.0 (training_args.py). */
const argumentsBefore5: ReadonlySet<string> = wordSet(`
  evaluation_strategy overwrite_output_dir no_cuda use_mps_device per_gpu_train_batch_size half_precision_backend fp16_backend
  fp16_opt_level jit_mode_eval use_ipex save_safetensors include_inputs_for_metrics push_to_hub_model_id
  push_to_hub_organization push_to_hub_token dispatch_batches split_batches sharded_ddp fsdp_min_num_params past_index ray_scope
`)
