/**
 * Tools that train with model code, losses or generation of their own, which nothing here estimates. Their configs are told by
 * keys that nobody else writes, and refused by name: a config that is passed over looks like one that was checked.
 */
import type { Dialect } from '../dialect.ts'
import type { Field, Section } from '../section.ts'
import { writesAny } from '../written-keys.ts'

interface UnmodelledTool {
  readonly name: string
  /** Keys of which one is in every config of the tool. */
  readonly keys: readonly string[]
  /** The field that tells a training of this tool, by what else the file says. */
  training(document: Section): Field | undefined
  readonly why: string
}

const tools: readonly UnmodelledTool[] = [
  {
    // litgpt 0.5 finetune/*.py and pretrain.py: setup()
    name: 'LitGPT',
    keys: ['micro_batch_size'],
    training: document => {
      const isTools = ['checkpoint_dir', 'initial_checkpoint_dir', 'tokenizer_dir'].some(key => document.at(key))
      return isTools && document.at('train', 'global_batch_size') ? document.at('train', 'micro_batch_size') : undefined
    },
    why: 'runs models and a loss in chunks in code of its own',
  },
  {
    // verl 0.6 trainer/config/*.yaml
    name: 'verl',
    keys: ['actor_rollout_ref', 'partial_pretrain'],
    training: document =>
      document.at('actor_rollout_ref', 'actor') === undefined
        ? document.at('model', 'partial_pretrain')
        : document.at('actor_rollout_ref'),
    why: 'trains and generates on the same GPUs by turns',
  },
  {
    // NeMo AutoModel 0.3 recipes
    name: 'NeMo AutoModel',
    keys: ['local_batch_size'],
    training: document => {
      const target = document.at('model', '_target_')?.value
      const isTools = target?.kind === 'text' && /^nemo_automodel\.|^NeMoAuto/.test(target.text)
      return isTools ? document.at('step_scheduler', 'local_batch_size') : undefined
    },
    why: 'runs models in code of its own',
  },
  {
    // NeMo RL 0.4 examples/configs
    name: 'NeMo RL',
    keys: ['train_micro_batch_size'],
    training: document =>
      document.at('policy', 'model_name') && document.at('policy', 'train_global_batch_size')
        ? document.at('policy', 'train_micro_batch_size')
        : undefined,
    why: 'trains and generates by turns in code of its own',
  },
]

export const unmodelledTools: readonly Dialect[] = tools.map(({ name, keys, training, why }) => ({
  name,
  mayBe: writesAny(keys),
  recognise: document => training(document)?.name,
  modelField: () => undefined,
  read: (document, reader) => {
    const message = `${name} ${why}, which is not modelled yet`
    const fix = 'Exclude this config for now: add it to ignore in .github/memorymark.yml.'
    reader.refuse(training(document), 'unsupported-training', message, fix)
    return { kind: 'unreadable', problems: reader.problems }
  },
}))
