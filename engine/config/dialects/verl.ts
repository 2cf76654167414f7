/**
 * verl, as of 0.7; releases since 0.4 have the same defaults but where it is said: trainer/config/*.yaml, the settings; what they
 * mean is in trainer/fsdp_sft_trainer.py and workers/fsdp_workers.py. They stand on a command line as Hydra's overrides, or in a
 * file. Megatron's backend, critics, reward models and rollouts by others than vLLM are refused by name.
 */
import type { Dialect } from '../dialect.ts'
import { writesAny } from '../written-keys.ts'
import { modelOfActor, readActor } from './verl/actor.ts'
import { modelOfFineTuning, readFineTuning } from './verl/fine-tuning.ts'

export const verl: Dialect = {
  name: 'verl',
  mayBe: writesAny(['actor_rollout_ref', 'partial_pretrain']),
  recognise: document => {
    if (document.at('actor_rollout_ref', 'actor') !== undefined) return 'actor_rollout_ref.actor'
    return modelOfFineTuning(document) === undefined ? undefined : 'model.partial_pretrain'
  },
  modelField: document => modelOfActor(document) ?? modelOfFineTuning(document),
  // Of rollouts, rewards and data, of the trainer around the step, or of how adapters start.
  withoutBearing:
    /^\+*(?:actor_rollout_ref\.(?:rollout|ref)|critic|reward_model|algorithm|trainer|data|ray_kwargs|custom_reward_function)\.|lora_alpha$|\.(?:entropy_checkpointing|wrap_policy)$/,
  read: (document, reader, lookUp) =>
    document.at('actor_rollout_ref') === undefined
      ? readFineTuning(document, reader, lookUp)
      : readActor(document, reader, lookUp),
}
