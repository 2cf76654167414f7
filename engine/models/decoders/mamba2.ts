/** Layers of Mamba 2, as hybrids of transformers write them. */
import * as z from 'zod'
import type { Mamba2Shape } from '../../program/ops/mixers.ts'
import { size } from '../schema.ts'
import type { Part } from './blueprint.ts'

/** Under the names that most hybrids give them. */
export const mamba2Fields = {
  mamba_n_heads: size.default(128),
  mamba_d_head: z.union([size, z.literal('auto')]).default('auto'),
  mamba_d_state: size.default(256),
  mamba_d_conv: size.default(4),
  mamba_n_groups: size.default(1),
  mamba_expand: size.default(2),
  mamba_chunk_size: size.default(256),
  mamba_conv_bias: z.boolean().default(true),
  mamba_proj_bias: z.boolean().default(false),
}
type Mamba2Fields = z.infer<z.ZodObject<typeof mamba2Fields>>

/** `inner`: features of all heads. */
export function mamba2ShapeOf(
  config: Mamba2Fields & { readonly hidden_size: number },
  inner: number,
): Omit<Mamba2Shape, 'outputBias' | 'norm'> {
  return {
    heads: config.mamba_n_heads,
    headSize: config.mamba_d_head === 'auto' ? inner / config.mamba_n_heads : config.mamba_d_head,
    stateSize: config.mamba_d_state,
    groups: config.mamba_n_groups,
    chunkTokens: config.mamba_chunk_size,
    kernel: config.mamba_d_conv,
    convolutionBias: config.mamba_conv_bias,
    outFeatures: config.hidden_size,
  }
}

export interface Mamba2Traits {
  readonly inputBias: boolean
  /** What comes in times a constant, and each feature of the first projection. */
  readonly isScaled?: boolean
}

export function mamba2Of(shape: Mamba2Shape, { inputBias, isScaled = false }: Mamba2Traits): Part {
  const inner = shape.heads * shape.headSize
  const width = 2 * inner + 2 * shape.groups * shape.stateSize + shape.heads
  return (ops, { name }, x) => {
    const projected = ops.linear(`${name}.in_proj`, isScaled ? ops.scale(x) : x, width, { bias: inputBias })
    const states = isScaled ? ops.multiply(projected, ops.constant(`${name}.mup_vector`, width)) : projected
    return ops.mamba2(name, states, shape)
  }
}
