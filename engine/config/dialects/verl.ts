/**
 * verl, as of 0.7; releases since 0.4 have the same defaults but where it is said: trainer/config/*.yaml, the settings; what they
 * mean is in trainer/fsdp_sft_trainer.py and workers/fsdp_workers.py. They stand on a command line as Hydra's overrides, or in a
 * file. Megatron's backend, critics other than the actor's model, reward models and rollouts by others than vLLM and SGLang are
 * refused by name; of images the text is counted.
 */
import type { Dialect } from '../dialect.ts'
import type { Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { partsOf } from './hydra-parts.ts'
import { notModelled } from './unmodelled-tools.ts'
import { modelOfActor, modelOfFineTuning } from './verl/model-field.ts'
import { readVerl } from './verl/read.ts'

const mayTrain = writesAny(['actor_rollout_ref', 'partial_pretrain', 'defaults'])
/** Of main_generation; results of evaluations count samples too. */
const writesSamples = writesAny(['n_samples'])
const writesRollout = writesAny(['rollout'])

export const verl: Dialect = {
  name: 'verl',
  mayBe: text => mayTrain(text) || (writesSamples(text) && writesRollout(text)),
  recognise: document => {
    if (onlyGenerates(document)) return 'rollout beside data.n_samples'
    if (document.at('actor_rollout_ref', 'actor') !== undefined) return 'actor_rollout_ref.actor'
    if (isBaseOfSft(document)) return MODEL_PART
    return modelOfFineTuning(document) === undefined ? undefined : 'model.partial_pretrain'
  },
  modelField: document => modelOfActor(document) ?? modelOfFineTuning(document),
  // Of rollouts, rewards and data, of the trainer around the step, or of how adapters start.
  withoutBearing:
    /^\+*(?:actor_rollout_ref\.(?:rollout|ref)|critic|reward_model|algorithm|trainer|data|ray_kwargs|custom_reward_function)\.|(?:lora_alpha|target_modules)$|ppo_max_token_len_per_gpu$|\.(?:entropy_checkpointing|wrap_policy)$/,
  read: (document, reader, lookUp) => {
    const notTraining = (why: string) => ({ kind: 'not-a-training-config', why }) as const
    if (onlyGenerates(document)) return notTraining('It is of main_generation of verl, which trains nothing.')
    if (reader.flag(document.at('trainer', 'val_only')) === true)
      return notTraining('It only validates (trainer.val_only).')
    if (isBaseOfSft(document))
      return notTraining("It is what verl's sft_trainer starts from: a command names the model.")
    return readVerl(document, reader, lookUp)
  },
}

const MODEL_PART = 'model@model: hf_model'

/** trainer/config/sft_trainer_engine.yaml: the model is one of the parts, in which verl has a placeholder. */
function isBaseOfSft(document: Section): boolean {
  return document.at('model') === undefined && partsOf(document).includes(MODEL_PART)
}

/** trainer/config/generation.yaml, in which some releases leave the settings of an actor. */
function onlyGenerates(document: Section): boolean {
  const data = ['n_samples', 'output_path'].every(key => document.at('data', key) !== undefined)
  return data && document.at('rollout') !== undefined
}

/** A script of the repository's own that is given verl's settings: what it makes of them is not read. */
export const ownVerl: Dialect = {
  name: verl.name,
  mayBe: () => false,
  recognise: document => verl.recognise(document),
  modelField: () => undefined,
  read: (document, reader) => {
    const field = document.at('actor_rollout_ref') ?? modelOfFineTuning(document)
    reader.refuse(field, ...notModelled("A trainer of the repository's own is given verl's settings"))
    return { kind: 'unreadable', problems: reader.problems }
  },
}
