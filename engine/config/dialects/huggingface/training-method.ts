/**
 * Which of TRL's trainers a recipe is for. No key says so, but each trainer has arguments that the others lack (TRL 1.10
 * trainer/*_config.py, and those of the versions that the alignment handbook was written for).
 */
import { wordList, wordSet } from '../../../base/word-list.ts'
import type { DecisiveRelease } from '../../../training/versions.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import {
  isOn,
  kto,
  ordinary,
  preference,
  refuseGeneration,
  reward,
  type Training,
  tellOfWholeLogits,
} from '../../trainer/method.ts'
import { completionKeys, readTrlCompletions, type Step } from './completions.ts'
import { type Declared, type DeclaredTrainer, unslothAdapters } from './declared.ts'
import type { Find } from './task.ts'
import { isTrlBefore } from './trl-release.ts'

/** Of trainers that score completions with additional models: PPO, an earlier RLOO, online DPO. */
const generationKeys = wordList(`
  reward_model_path sft_model_path num_ppo_epochs missing_eos_penalty num_sample_generations rloo_k judge
`)
/** Of GKD and other distillation. */
const TEACHER = 'teacher_model_name_or_path'
const ktoKeys = ['undesirable_weight', 'desirable_weight']
const rewardKeys = ['center_rewards_coefficient']
const withoutReferenceKeys = ['cpo_alpha', 'simpo_gamma']
/** SimPO's own trainer (princeton-nlp/SimPO, scripts/simpo_config.py); its cross-entropy is off unless sft_weight is set. */
const simpoKeys = ['gamma_beta_ratio']
const preferenceKeys = wordList(`
  max_prompt_length precompute_ref_log_probs ref_model_mixup_alpha rpo_alpha sync_ref_model use_weighting f_divergence_type
`)

const methodKeys = [
  TEACHER,
  ...generationKeys,
  ...completionKeys,
  ...ktoKeys,
  ...rewardKeys,
  ...withoutReferenceKeys,
  ...simpoKeys,
  ...preferenceKeys,
]

/** Of those, keys that methods other than DPO have as well, beside `beta`. */
const sharedKeys = wordSet('max_prompt_length beta')
const outputNames = ['output_dir', 'hub_model_id', 'run_name']

/** Values of loss_type that only DPO has. */
const dpoLosses = wordSet(`
  sigmoid hinge ipo exo_pair nca_pair robust bco_pair sppo_hard aot aot_pair aot_unpaired apo_zero apo_down discopop
  sigmoid_norm kto_pair
`)
/** Keys that show that `beta` is a preference method's. */
const recipeKeys = ['max_length', 'use_peft', 'dataset_name', 'dataset_mixer', 'dataset_mixture']

/** Whether a key shows that the recipe is for one of TRL's trainers. */
export function namesTrainer(find: Find): boolean {
  return (find(...methodKeys) ?? preferenceField(find)) !== undefined
}

/** The method of the trainer that a script calls; otherwise judged by keys. */
export function readDeclaredMethod(
  reader: FieldReader,
  { find, declared }: { readonly find: Find; readonly declared: Declared },
  hasAdapter: boolean,
  step: Step,
): Training {
  const training = methodOfTrainer(reader, find, declared, hasAdapter, step)
  const { method } = training
  const release = declared.loadsReference ? loadsReferenceSince[declared.trainer] : undefined
  const isCopied =
    (method?.kind === 'preference' || method?.kind === 'kto' || method?.kind === 'online') &&
    method.reference === 'copy'
  if (!isCopied || release === undefined || isTrlBefore(reader, { declared }, release)) return training
  reader.assume("The reference's weights in fp32, as TRL loads them by the name of a model that it is handed.")
  return {
    ...training,
    method: reader.note('method', { ...method, referenceType: 'float32' as const }, declared.trainerField),
  }
}

/** By TRL's history: `create_model_from_path`, whose dtype is float32 since 0.27 (trl#4778), in place of a copy of the model. */
const loadsReferenceSince: Readonly<Partial<Record<DeclaredTrainer, DecisiveRelease<'trl'>>>> = {
  dpo: '0.29',
  kto: '1.4',
  grpo: '0.27',
  rloo: '0.27',
}

function methodOfTrainer(
  reader: FieldReader,
  find: Find,
  { trainer, trainerField, adaptersOf, ofUnsloth }: Declared,
  hasAdapter: boolean,
  step: Step,
): Training {
  const reference = hasAdapter ? 'adapters-off' : 'copy'
  switch (trainer) {
    case 'trainer':
    case 'sft':
      return ordinary
    case 'dpo':
      return readPreference(reader, find, trainerField, reference)
    case 'orpo':
    case 'cpo':
      return preference(reader, trainerField, { reference: 'none', style: 'trl', withCrossEntropy: true })
    case 'kto':
      return kto(reader, trainerField, { reference, style: 'trl' })
    case 'reward':
      return reward(reader, trainerField, 'score')
    case 'grpo':
    case 'rloo':
      return readTrlCompletions(reader, find, trainerField, {
        step,
        hasAdapter,
        isUnsloth: adaptersOf === unslothAdapters,
        hasUnslothDefaults: ofUnsloth === true,
        ofRloo: trainer === 'rloo',
      })
    case 'generation':
      return refuseGeneration(reader, trainerField, trainerField.name)
  }
}

export function readTrainingMethod(reader: FieldReader, find: Find, hasAdapter: boolean, step: Step): Training {
  const generation = find(...generationKeys)
  if (generation !== undefined) return refuseGeneration(reader, generation, generation.key)
  const teacher = find(TEACHER)
  if (teacher !== undefined) {
    const message = `The memory of the teacher ${quote(teacher.source)} is not modelled yet`
    return reader.refuse(teacher, 'unsupported-training', message, leaveOut) ?? ordinary
  }
  const answers = find(...completionKeys)
  if (answers !== undefined) return readTrlCompletions(reader, find, answers, { step, hasAdapter, isUnsloth: false })
  const rewards = find(...rewardKeys)
  if (rewards !== undefined) return reward(reader, rewards, 'score')
  const reference = hasAdapter ? 'adapters-off' : 'copy'
  const tags = find(...ktoKeys)
  if (tags !== undefined) return kto(reader, tags, { reference, style: 'trl' })
  const free = find(...withoutReferenceKeys) ?? namedOrpo(find)
  if (free !== undefined) return preference(reader, free, { reference: 'none', style: 'trl', withCrossEntropy: true })
  const simpo = find(...simpoKeys)
  if (simpo !== undefined) {
    const weight = find('sft_weight')?.value
    const withCrossEntropy = weight?.kind === 'number' && weight.number > 0
    return preference(reader, simpo, { reference: 'none', style: 'trl', ...(withCrossEntropy && { withCrossEntropy }) })
  }
  const field = preferenceField(find)
  if (field === undefined) return ordinary
  const named = sharedKeys.has(field.key) ? namedMethod(reader.path, find) : undefined
  if (named !== undefined) {
    if (named === 'grpo' || named === 'rloo' || named === 'ppo') return refuseUnknownCompletions(reader, field, named)
    const sentence = `${named.toUpperCase()}, judging by the file's name: DPO has ${field.key} too.`
    if (named === 'sft') {
      reader.assume(sentence)
      return ordinary
    }
    reader.assumeMore(sentence)
    if (named === 'kto') return kto(reader, field, { reference, style: 'trl' })
    return preference(reader, field, { reference: 'none', style: 'trl', withCrossEntropy: true })
  }
  reader.assumeMore(`DPO, judging by ${field.key}: a trainer without a reference model would need less.`)
  return readPreference(reader, find, field, reference)
}

function readPreference(reader: FieldReader, find: Find, field: Field, reference: 'adapters-off' | 'copy'): Training {
  tellOfWholeLogits(reader, find('use_liger_kernel'))
  // A cross-entropy of the chosen responses in addition.
  const withLikelihood = find('rpo_alpha')
  if (withLikelihood !== undefined && withLikelihood.value.kind !== 'empty') reader.uncounted.push(withLikelihood)
  const isPrecomputed = isOn(reader, find('precompute_ref_log_probs'))
  const style = !reader.isTrlBefore('0.29') && reader.isTrlBefore('1.6') ? 'trl-copied' : 'trl'
  return preference(reader, field, { reference: isPrecomputed ? 'none' : reference, style })
}

function preferenceField(find: Find): Field | undefined {
  const field = find(...preferenceKeys)
  if (field !== undefined) return field
  const loss = find('loss_type')
  if (loss?.value.kind === 'text' && dpoLosses.has(loss.value.text)) return loss
  return find(...recipeKeys) && find('beta')
}

/** The method that a file's path names, for keys that several methods have; undefined where something names DPO or its kin. */
function namedMethod(path: string, find: Find): string | undefined {
  const written = outputNames.map(key => find(key)?.source ?? '')
  if ([path, ...written].some(text => namesPreferences.test(text))) return undefined
  const names = path
    .split('/')
    .toReversed()
    .map(each => methodName.exec(each)?.[1])
  return names.find(name => name !== undefined)?.toLowerCase()
}

const namesPreferences = /dpo|simpo|preference|(?:^|[^a-z])ipo(?:[^a-z]|$)/i
const methodName = /(?:^|[^a-z])(sft|kto|orpo|cpo|grpo|rloo|ppo)(?:[^a-z]|$)/i

function refuseUnknownCompletions(reader: FieldReader, field: Field, named: string): Training {
  const method = named.toUpperCase()
  const message = `The file's name says ${method}, and neither how many completions are generated nor how long they are is set`
  reader.refuse(field, 'not-in-file', message, 'Set num_generations and max_completion_length.')
  return ordinary
}

/** ORPO's arguments are the same as DPO's: only the recipe's output names tell them apart. */
function namedOrpo(find: Find): Field | undefined {
  const named = outputNames.map(key => find(key))
  return (
    find('beta', 'max_prompt_length') && named.find(field => /(?:^|[^a-z])orpo(?:[^a-z]|$)/i.test(field?.source ?? ''))
  )
}
