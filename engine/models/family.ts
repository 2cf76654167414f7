/** A model family: the schema of its config.json, its forward pass, and all else in which it differs from others. */
import type * as z from 'zod'
import type { Task, TrainingSpec } from '../config/spec.ts'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/program.ts'
import type { ImageOfSample, ModelParts, SizeInPixels } from './images.ts'
import type { ExpertNames, Linears } from './linears.ts'

/** What a model is, which decides the tasks that it is trained for. */
export type Kind = 'encoder' | 'decoder' | 'encoder-decoder' | 'image' | 'detector'

/** What a program depends on beside the config. */
export type ProgramTerms = Pick<TrainingSpec, 'task' | 'labels' | 'sequenceLength' | 'targetLength' | 'images'>

/** What most families leave out. */
export interface Traits<Config> {
  /** Modules that may have adapters; none is known where absent. */
  linears?(config: Config): Linears
  /**
   * Adapters on these names go, from peft 0.19 on, on what transformers 5 holds instead: one matrix of all experts, and the
   * router's (peft utils/transformers_weight_conversion.py, for the families of transformers' conversion_mapping.py). No linear
   * layer of such a model that bears such a name has adapters.
   */
  readonly experts?: ExpertNames
  /** The experts were one matrix for all of them in transformers 4 already, not linear layers. */
  readonly fusedExpertsBefore5?: true
  /** Positions are rows of a table, so that no sequence can be longer; the rest compute rotary positions, for any length. */
  readonly hasPositionTable?: true
  /** Rows at the start of that table that no token reaches. */
  readonly unreachedPositions?: number
  /** transformers offers no `gradient_checkpointing_enable` for it. */
  readonly withoutCheckpointing?: true
  /** Whose its code is, where it is not in transformers: nothing here runs it. */
  readonly codeFrom?: 'checkpoint' | 'ultralytics'
  /** Layers that carry a state along the sequence in place of attention: linear attention, Mamba's or Mamba 2's. */
  recurrence?(config: Config): 'linear-attention' | 'mamba' | 'mamba2' | undefined
  /** Attention with a learnt sink, which only some flash kernels compute. */
  readonly hasAttentionSinks?: true
  /** The side of the images that a model was trained on, in pixels. */
  imageSize?(config: Config): number
  /** One image of a size among the words of a sample, as the model's own processor has it; images are not modelled where absent. */
  imageOf?(config: Config, size: SizeInPixels): ImageOfSample | undefined
  /** The parts of a vision-language model that tools freeze. */
  readonly parts?: ModelParts
  /** One GPU's part under tensor parallelism; undefined where heads or features are not a multiple of `gpus`. */
  divided?(config: Config, gpus: number): Config | undefined
  /** What checkpoints call what transformers' configuration class takes under both names (its `attribute_map`). */
  readonly ownNames?: Readonly<Record<string, string>>
}

/** A config.json, told from others by its `model_type`. */
export type ConfigSchema = z.ZodObject<{ readonly model_type: z.ZodLiteral<string> } & z.core.$ZodLooseShape>

export interface Family<Schema extends ConfigSchema = ConfigSchema> extends Traits<z.infer<Schema>> {
  readonly config: Schema
  kind(config: z.infer<Schema>): Kind
  /** The model with the head of the task; → its logits. */
  forward(ops: Builder, config: z.infer<Schema>, terms: ProgramTerms): Value
}

/** A family of one kind. */
export function family<Schema extends ConfigSchema>(
  kind: Kind,
  config: Schema,
  forward: (ops: Builder, config: z.infer<Schema>, terms: ProgramTerms) => Value,
  traits: Traits<z.infer<Schema>> = {},
): Family<Schema> {
  return { config, kind: () => kind, forward, ...traits }
}

/** The side of the images that classifiers of ImageNet are trained on. */
export const IMAGENET_PIXELS = 224

/** The tasks that models of a kind are trained for; the first is the default. */
export const tasksOfKind: Record<Kind, readonly [Task, ...Task[]]> = {
  encoder: ['sequence-classification', 'masked-lm'],
  decoder: ['causal-lm', 'sequence-classification'],
  'encoder-decoder': ['seq2seq-lm'],
  image: ['image-classification'],
  detector: ['object-detection'],
}

type Schemas<Families extends readonly Family[]> = {
  readonly [Index in keyof Families]: Families[Index]['config']
}

/** The config schemas of families, each at its family's place. */
export function schemasOf<const Families extends readonly Family[]>(families: Families): Schemas<Families> {
  return families.map(each => each.config) as unknown as Schemas<Families>
}
