/**
 * The catalogue of models: Hub ids with the facts of their config.json, from `catalogue.json`. No weights, no network.
 * Base models come before models derived from them, because the first matching row counts.
 */
import type { Task } from '../training/choices.ts'
import { familyOf, imageSizeOf, type ModelConfig, maxPositionsOf, tasksOf } from './architecture.ts'
import catalogue from './catalogue.json' with { type: 'json' }

/** The facts of a config.json, and the Hub ids that share them. */
export interface CatalogueRow {
  readonly ids: readonly string[]
  /** Where the facts are from, if not from the config.json of these ids. */
  readonly source?: string
  /** The fields read from config.json, under their names there; absent ones have transformers' defaults. */
  readonly config: { readonly model_type: string } & Readonly<Record<string, unknown>>
}

export const catalogueRows: readonly CatalogueRow[] = catalogue

export const storedTypes = ['float32', 'bfloat16', 'float16'] as const
export type StoredType = (typeof storedTypes)[number]

export interface CatalogueModel {
  /** The Hub id; for a model from elsewhere, the name in the training config. */
  readonly id: string
  readonly family: ModelConfig['model_type']
  readonly config: ModelConfig
  readonly tasks: readonly Task[]
  readonly defaultTask: Task
  /** The context length in tokens; absent for images. */
  readonly maxPositions?: number
  /** The side of the training images in pixels; absent for text. */
  readonly imageSize?: number
  /** In what type its config.json says that its weights are stored; absent where it says nothing. */
  readonly storedType?: StoredType
  /** Modules that a quantised checkpoint holds in 16 bits, by its config.json. */
  readonly unquantized?: readonly string[]
  /** Rows of the learned position table, which limits the sequence length; absent for models without one. */
  readonly positionLimit?: number
}

/** The three models of the product page, by the names that it gives them. */
export const modelAliases: Readonly<Record<string, string>> = {
  bert: 'google-bert/bert-base-uncased',
  gpt2: 'openai-community/gpt2',
  resnet: 'microsoft/resnet-50',
}

interface Entry {
  readonly id: string
  readonly row: CatalogueRow
}

const entries: ReadonlyMap<string, Entry> = new Map(
  catalogueRows.flatMap(row => row.ids.map(id => [id.toLowerCase(), { id, row }] as const)),
)

/** Ids without their owner, as they stood on the Hub before owners were required (`bert-base-uncased`); the first id wins. */
const bareNames: ReadonlyMap<string, Entry> = new Map(
  [...entries.values()].toReversed().map(entry => [bareName(entry.id).toLowerCase(), entry]),
)

export const modelIds: readonly string[] = [...entries.values()].map(({ id }) => id)

/** Every name that `findModel` answers to. */
export const modelNames: readonly string[] = [...modelIds, ...bareNames.keys(), ...Object.keys(modelAliases)]

/** Rows are parsed at first use, because parsing all would slow down every start. */
const parsed = new Map<string, CatalogueModel>()

/** Finds a model by Hub id, with or without its owner, or by alias; case does not matter. */
export function findModel(name: string): CatalogueModel | undefined {
  const key = name.toLowerCase()
  const alias = Object.hasOwn(modelAliases, key) ? modelAliases[key] : undefined
  const entry = entries.get(alias ?? key) ?? bareNames.get(key)
  if (entry === undefined) return undefined
  const model =
    parsed.get(entry.id) ?? describeModel(entry.id, familyOf(entry.row.config).config.parse(entry.row.config))
  parsed.set(entry.id, model)
  return model
}

/** The properties of a model that config readers need. */
export function describeModel(id: string, config: ModelConfig): CatalogueModel {
  const tasks = tasksOf(config)
  const maxPositions = maxPositionsOf(config)
  const imageSize = imageSizeOf(config)
  return {
    id,
    family: config.model_type,
    config,
    tasks,
    defaultTask: tasks[0],
    ...(maxPositions !== undefined && { maxPositions }),
    ...(imageSize !== undefined && { imageSize }),
    ...(maxPositions !== undefined && familyOf(config).hasPositionTable && { positionLimit: maxPositions }),
  }
}

/** `meta-llama/Llama-3.2-1B` without its owner. */
export function bareName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1)
}
