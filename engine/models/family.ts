/** A model family: the schema of its config.json, its forward pass, and its other traits. */
import type * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import type { Task } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { ImageHandling, ImageOfSample, ModelParts } from './images.ts'
import type { ExpertNames, Linears } from './linears.ts'
import type { SizeInPixels } from './vision/image-scaling.ts'

/** What a model is, which decides the tasks that it is trained for. */
export type Kind = 'encoder' | 'decoder' | 'encoder-decoder' | 'sound' | 'image' | 'detector'

/** What a program depends on besides the model's config. */
export type ProgramTerms = Pick<
  TrainingSpec,
  'task' | 'step' | 'labels' | 'sequenceLength' | 'targetLength' | 'images' | 'versions' | 'modelCode' | 'quantization'
>

/** Sizes of a model that generates text from what its encoder has read. */
export interface EncoderDecoder {
  readonly decoderLayers: number
  /** Features of all heads of a layer, which keys and values have. */
  readonly width: number
  /** Features of a token between layers. */
  readonly hidden: number
  readonly vocabulary: number
  /** Of an encoder that always reads as much; else the length of the config's inputs. */
  readonly encoderTokens?: number
  /** Tokens that the decoder generates at most, if the model limits them; else the length of the config's targets. */
  readonly maxTokens?: number
  /** What the encoder is given of a sample, where it is more than tokens' numbers. */
  readonly inputBytes?: number
}

/** Traits that most families do not have. */
export interface Traits<Config> {
  /** Linear modules that may have adapters; unknown if absent. */
  linears?(config: Config): Linears
  /**
   * Adapters on these names go, from peft 0.19 on, on what transformers 5 holds instead: one matrix of all experts, and the
   * router's (peft utils/transformers_weight_conversion.py, for the families of transformers' conversion_mapping.py). No linear
   * layer of such a model that bears such a name has adapters.
   */
  readonly experts?: ExpertNames
  /** The experts were one matrix for all of them in transformers 4 already, not linear layers. */
  readonly fusedExpertsBefore5?: true
  /**
   * Positions are rows of a learned table, which limits the sequence length. Other families compute rotary positions
   * for any length.
   */
  readonly hasPositionTable?: true
  /** Rows at the start of that table that are never used. */
  readonly unreachedPositions?: number
  /** A decoder whose checkpoints are stored in 32 bits, or in part; nearly all others are in 16. */
  readonly isStoredIn32Bits?: true
  /** It writes down what it hears: a sequence is a transcript. */
  readonly transcribes?: true
  /** What generating text with an encoder and a decoder depends on; not modelled if absent. */
  generation?(config: Config): EncoderDecoder
  /** transformers offers no `gradient_checkpointing_enable` for it. */
  readonly withoutCheckpointing?: true
  /** Where its modelling code is, if not in transformers. */
  readonly codeFrom?: 'checkpoint' | 'ultralytics'
  /** The kind of layers with a recurrent state instead of attention. */
  recurrence?(config: Config): 'gated-delta' | 'kimi-delta' | 'mamba' | 'mamba2' | undefined
  /** Attention with a learnt sink, which only some flash kernels compute. */
  readonly hasAttentionSinks?: true
  /** Heads of more than 256 dimensions in some layers, which flash attention does not take. */
  readonly hasLargeHeads?: true
  /** transformers refuses its flash attention for the model (`_supports_flash_attn` of 5.18), or the model's code is elsewhere. */
  readonly refusesFlash?: true
  /** The side of the images that a model was trained on, in pixels. */
  imageSize?(config: Config): number
  /**
   * The tokens of an image of a given size, as the model's processor makes them; if absent, images are not modelled.
   */
  imageOf?(config: Config, size: SizeInPixels, handling?: ImageHandling): ImageOfSample | undefined
  /** The same of a video of so many frames; if absent, videos are not modelled. */
  videoOf?(config: Config, size: SizeInPixels, frames: number): ImageOfSample
  /** Whether its tower reads the images of a batch as one sequence, with a mask whose memory grows with the batch's square. */
  joinsImages?(config: Config): boolean
  /** The parts of a vision-language model that tools freeze. */
  readonly parts?: ModelParts
  /** One GPU's share under tensor parallelism; undefined if heads or features are not a multiple of `gpus`. */
  divided?(config: Config, gpus: number): Config | undefined
  /** Names in checkpoints' config.json for fields that transformers accepts under two names (its `attribute_map`). */
  readonly ownNames?: Readonly<Record<string, string>>
}

/** A config.json, told from others by its `model_type`. */
export type ConfigSchema = z.ZodObject<{ readonly model_type: z.ZodLiteral<string> } & z.core.$ZodLooseShape>

export interface Family<Schema extends ConfigSchema = ConfigSchema> extends Traits<z.infer<Schema>> {
  readonly config: Schema
  kind(config: z.infer<Schema>): Kind
  /** The model with the task's head; returns its logits. */
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
  encoder: [
    'sequence-classification',
    'masked-lm',
    'token-classification',
    'question-answering',
    'sentence-similarity',
  ],
  decoder: ['causal-lm', 'sequence-classification'],
  'encoder-decoder': ['seq2seq-lm'],
  sound: ['ctc', 'audio-classification'],
  image: ['image-classification'],
  detector: ['object-detection'],
}

/** Families, each under every `model_type` of its schema. */
export function byModelType<Each extends Family>(families: readonly Each[]): ReadonlyMap<string, Each> {
  return new Map(
    families.flatMap(each => Array.from(each.config.shape.model_type.values, type => [type, each] as const)),
  )
}

type Schemas<Families extends readonly Family[]> = {
  readonly [Index in keyof Families]: Families[Index]['config']
}

/** The config schemas of families, each at its family's place. */
export function schemasOf<const Families extends readonly Family[]>(families: Families): Schemas<Families> {
  return families.map(each => each.config) as unknown as Schemas<Families>
}
