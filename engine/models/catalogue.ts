/** Models that people name in configs: Hub ids with the facts of their config.json. No weights, no network. */
import type { Task } from '../config/spec.ts'
import { type ModelConfig, maxPositionsOf, modelConfig, tasksOf } from './architecture.ts'

export interface CatalogueModel {
  /** The full Hub id. */
  readonly id: string
  readonly family: ModelConfig['model_type']
  readonly config: ModelConfig
  readonly tasks: readonly Task[]
  readonly defaultTask: Task
  /** Tokens of the longest sequence; absent for images. */
  readonly maxPositions?: number
}

const bertLarge = { hidden_size: 1_024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4_096 }
const robertaSizes = { max_position_embeddings: 514, type_vocab_size: 1 }
const basicBlocks = { layer_type: 'basic', hidden_sizes: [64, 128, 256, 512] }

/** Fields that differ from transformers' defaults, as each repository's config.json states them. */
const rows: Record<string, { model_type: ModelConfig['model_type'] } & Record<string, unknown>> = {
  'google-bert/bert-base-uncased': { model_type: 'bert' },
  'google-bert/bert-base-cased': { model_type: 'bert', vocab_size: 28_996 },
  'google-bert/bert-base-multilingual-cased': { model_type: 'bert', vocab_size: 119_547 },
  'google-bert/bert-base-multilingual-uncased': { model_type: 'bert', vocab_size: 105_879 },
  'google-bert/bert-base-chinese': { model_type: 'bert', vocab_size: 21_128 },
  'google-bert/bert-large-uncased': { model_type: 'bert', ...bertLarge },
  'google-bert/bert-large-cased': { model_type: 'bert', ...bertLarge, vocab_size: 28_996 },
  'google-bert/bert-large-uncased-whole-word-masking': { model_type: 'bert', ...bertLarge },
  'FacebookAI/roberta-base': { model_type: 'roberta', ...robertaSizes },
  'FacebookAI/roberta-large': { model_type: 'roberta', ...robertaSizes, ...bertLarge },
  'distilbert/distilroberta-base': { model_type: 'roberta', ...robertaSizes, num_hidden_layers: 6 },
  'distilbert/distilbert-base-uncased': { model_type: 'distilbert' },
  'distilbert/distilbert-base-cased': { model_type: 'distilbert', vocab_size: 28_996 },
  'distilbert/distilbert-base-multilingual-cased': { model_type: 'distilbert', vocab_size: 119_547 },
  'openai-community/gpt2': { model_type: 'gpt2' },
  'openai-community/gpt2-medium': { model_type: 'gpt2', n_embd: 1_024, n_layer: 24, n_head: 16 },
  'openai-community/gpt2-large': { model_type: 'gpt2', n_embd: 1_280, n_layer: 36, n_head: 20 },
  'openai-community/gpt2-xl': { model_type: 'gpt2', n_embd: 1_600, n_layer: 48, n_head: 25 },
  'distilbert/distilgpt2': { model_type: 'gpt2', n_layer: 6 },
  'microsoft/resnet-18': { model_type: 'resnet', ...basicBlocks, depths: [2, 2, 2, 2] },
  'microsoft/resnet-34': { model_type: 'resnet', ...basicBlocks, depths: [3, 4, 6, 3] },
  'microsoft/resnet-50': { model_type: 'resnet' },
  'microsoft/resnet-101': { model_type: 'resnet', depths: [3, 4, 23, 3] },
  'microsoft/resnet-152': { model_type: 'resnet', depths: [3, 8, 36, 3] },
}

/** The three models of the product page, by the names that it gives them. */
const aliases: Record<string, string> = {
  bert: 'google-bert/bert-base-uncased',
  gpt2: 'openai-community/gpt2',
  resnet: 'microsoft/resnet-50',
}

const models: ReadonlyMap<string, CatalogueModel> = new Map(
  Object.entries(rows).map(([id, row]) => [id.toLowerCase(), catalogueModel(id, row)]),
)

/** Ids without their owner, as they stood on the Hub before owners were required (`bert-base-uncased`). */
const bareNames: ReadonlyMap<string, CatalogueModel> = new Map(
  [...models.values()].map(model => [model.id.slice(model.id.indexOf('/') + 1).toLowerCase(), model]),
)

export const modelIds: readonly string[] = Object.keys(rows)

/** Every name that `findModel` answers to. */
export const modelNames: readonly string[] = [...modelIds, ...bareNames.keys(), ...Object.keys(aliases)]

/** Finds a model by Hub id, with or without its owner, or by alias; case does not matter. */
export function findModel(name: string): CatalogueModel | undefined {
  const key = name.toLowerCase()
  return models.get(aliases[key] ?? key) ?? bareNames.get(key)
}

function catalogueModel(id: string, row: unknown): CatalogueModel {
  const config = modelConfig.parse(row)
  const tasks = tasksOf(config)
  const maxPositions = maxPositionsOf(config)
  return {
    id,
    family: config.model_type,
    config,
    tasks,
    defaultTask: tasks[0],
    ...(maxPositions === undefined ? {} : { maxPositions }),
  }
}
