/**
 * Tools that train with model code, losses or generation of their own, which nothing here estimates. Their configs are told by
 * keys that nobody else writes, and refused by name: a config that is passed over looks like one that was checked.
 */
import { wordList } from '../../base/word-list.ts'
import type { Dialect } from '../dialect.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'

interface UnmodelledTool {
  readonly name: string
  /** Keys of which one is in every config of the tool. */
  readonly keys: readonly string[]
  /** The field that tells a training of this tool, by what else the file says. */
  training(document: Section): Field | undefined
  readonly why: string
}

const mlxKeys = wordList(
  'fine_tune_type lora_parameters lora_layers steps_per_report grad_checkpoint resume_adapter_file',
)

const tools: readonly UnmodelledTool[] = [
  {
    // NeMo 2.0 examples/nlp/language_modeling/conf and NeMo-Aligner's, which have Lightning's trainer.
    name: 'NeMo',
    keys: ['tensor_model_parallel_size', 'mcore_gpt'],
    training: document =>
      document.at('trainer') && (document.at('exp_manager') ?? document.at('model', 'mcore_gpt'))
        ? document.at('model', 'micro_batch_size')
        : undefined,
    why: 'runs models and parallelism in code of its own',
  },
  {
    // LLaVA 1.2 train/train.py: a language model, a tower and what joins them are three settings, and code chooses what trains.
    name: 'LLaVA',
    keys: ['mm_projector_type', 'mm_vision_select_layer', 'tune_mm_mlp_adapter'],
    training: document => {
      const joins = ['mm_projector_type', 'mm_vision_select_layer', 'tune_mm_mlp_adapter'].some(key => document.at(key))
      // Copies for videos have several.
      const tower = ['vision_tower', 'image_tower', 'video_tower'].some(key => document.at(key))
      return joins && tower ? document.at('per_device_train_batch_size') : undefined
    },
    why: 'joins a vision tower to a language model in code of its own',
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
    // GPT-NeoX 2.0 configs/, whose keys have dashes or underscores; DeepSpeed's settings stand among them.
    name: 'GPT-NeoX',
    keys: ['pipe-parallel-size', 'pipe_parallel_size'],
    training: document =>
      (document.at('pipe-parallel-size') ?? document.at('pipe_parallel_size')) &&
      (document.at('train_micro_batch_size_per_gpu') ?? document.at('train_batch_size')),
    why: 'runs models and parallelism in code of its own',
  },
  {
    // tinker_cookbook/renderers: TrainOnWhat, whose values no other tool has.
    name: 'Tinker',
    keys: ['train_on_what'],
    training: document => document.at('train_on_what') && document.at('batch_size'),
    why: 'trains on machines of its own',
  },
  {
    // mlx-lm mlx_lm/lora.py (0304b28), CONFIG_DEFAULTS; lora_layers is what it called num_layers before.
    name: 'mlx-lm',
    keys: ['iters'],
    training: document => {
      const isTools = mlxKeys.some(key => document.at(key))
      return isTools && document.at('iters') && document.at('model') ? document.at('batch_size') : undefined
    },
    why: "trains in MLX on Apple's GPUs",
  },
  {
    // leap-finetune 0.1 job_configs/, whose files build on defaults that its code holds.
    name: 'leap-finetune',
    keys: ['training_type'],
    training: document => {
      const base = document.at('training_config', 'extends')
      const isTools = base?.value.kind === 'text' && /^DEFAULT_/.test(base.value.text)
      return isTools ? (document.at('training_config', 'per_device_train_batch_size') ?? base) : undefined
    },
    why: 'holds the settings that its configs build on in its code',
  },
  {
    // torchforge 0.2 apps/sft, whose YAML has torchtitan's sections.
    name: 'torchforge',
    keys: ['flavor'],
    training: document =>
      document.at('model', 'flavor') &&
      (document.at('training', 'local_batch_size') ?? document.at('training', 'batch_size')),
    why: "trains torchtitan's models in code of its own",
  },
]

export const unmodelledTools: readonly Dialect[] = tools.map(({ name, keys, training, why }) => ({
  ...unmodelled(name, why, training),
  mayBe: writesAny(keys),
}))

/** Of a tool whose command was recognised: its arguments are given as a document. */
export function unmodelledLaunch(name: string): Dialect {
  return unmodelled(name, 'trains in code of its own', batchSizeIn)
}

function unmodelled(name: string, why: string, training: (document: Section) => Field | undefined): Dialect {
  return {
    name,
    mayBe: () => false,
    recognise: document => training(document)?.name,
    modelField: () => undefined,
    read: (document, reader) => {
      reader.refuse(training(document), ...notModelled(`${name} ${why}`))
      return { kind: 'unreadable', problems: reader.problems }
    },
  }
}

/** The problem of a training that is refused by name. `subject`: a clause. */
export function notModelled(subject: string) {
  const fix = 'Exclude this file for now: add it to ignore in .github/memorymark.yml.'
  return ['unsupported-training', `${subject}, which is not modelled yet`, fix] as const
}

/** As deep as tools nest their arguments. */
const LEVELS = 4

function batchSizeIn(document: Section): Field | undefined {
  const fields = document.nested(LEVELS).flatMap(section => [...section.fields.values()])
  return fields.find(({ key, value }) => value.kind !== 'mapping' && isBatchSize.test(key) && !isOfOthers.test(key))
}

const isBatchSize = /batch_?size|(?:^|_)bsz?$/i
const isOfOthers = /(?:^|_)(?:eval|val|valid|test|infer|rollout|log)/i
