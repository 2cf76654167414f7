/**
 * The ops that programs are made of. Names are PyTorch's, and so is the state dict: a layer's `name` is the module
 * path, its parameters are `name.weight` and `name.bias`. Asking for a parameter name twice shares it (tied weights).
 * Shapes: b batch, s tokens, h hidden, a heads, c channels, y×x pixels.
 */
import { frames } from './ops/frames.ts'
import { images } from './ops/images.ts'
import { linears } from './ops/linears.ts'
import { mixers } from './ops/mixers.ts'
import { pointwise } from './ops/pointwise.ts'
import { shapes } from './ops/shapes.ts'
import { speech } from './ops/speech.ts'
import { streams } from './ops/streams.ts'
import type { Gives, Op } from './signature.ts'

export const ops = { ...frames, ...pointwise, ...shapes, ...linears, ...mixers, ...images, ...speech, ...streams }

/** The ops as models call them. */
export type OpSignatures = {
  readonly [Name in keyof typeof ops]: (typeof ops)[Name] extends Op<infer Signature> ? Signature : never
}

export type OpName = keyof OpSignatures | 'layers'
export type { Gives }
