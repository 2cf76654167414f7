/** A family of decoders: what its config.json holds, and what is computed from it. */
import type * as z from 'zod'
import type { Blueprint } from './blueprint.ts'

/** Names of linear layers that adapters are put on, by the last part of their module path: `q_proj`. */
export interface Linears {
  /** Every linear module of a block, as peft's `all-linear` finds them. */
  readonly all: readonly string[]
  /** peft 0.21 utils/constants.py TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING; peft refuses where it has none. */
  readonly usual?: readonly string[]
}

export const attentionLinears = ['q_proj', 'k_proj', 'v_proj', 'o_proj'] as const
export const gatedLinears = [...attentionLinears, 'gate_proj', 'up_proj', 'down_proj'] as const

/** A config.json, told from others by its `model_type`. */
type ConfigSchema = z.ZodObject<{ readonly model_type: z.ZodLiteral<string> } & z.core.$ZodLooseShape>

export interface DecoderFamily<Schema extends ConfigSchema = ConfigSchema> {
  readonly config: Schema
  blueprint(config: z.infer<Schema>): Blueprint
  readonly linears?: Linears
}

export function family<Schema extends ConfigSchema>(
  config: Schema,
  blueprint: (config: z.infer<Schema>) => Blueprint,
  traits: Pick<DecoderFamily, 'linears'> = {},
): DecoderFamily<Schema> {
  return { config, blueprint, ...traits }
}

type Schemas<Families extends readonly DecoderFamily[]> = {
  readonly [Index in keyof Families]: Families[Index]['config']
}

/** The config schemas of families, each at its family's place. */
export function schemasOf<const Families extends readonly DecoderFamily[]>(families: Families): Schemas<Families> {
  return families.map(each => each.config) as unknown as Schemas<Families>
}
