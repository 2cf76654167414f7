/**
 * EfficientNet, B0 to B7: depthwise convolutions between pointwise ones, with a factor for each channel. transformers:
 * models/efficientnet. In torchvision 0.29 and timm 1.0 a step of the same layers holds 0.2 to 1.6 % less: they copy fewer images, or
 * none, to pad them.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { layerList, MAX_LAYERS, probability, size, wholeNumber } from '../schema.ts'

const coefficient = z.number().min(0.1).max(8)

const efficientnetConfig = z.object({
  model_type: z.literal('efficientnet'),
  image_size: size.default(600),
  width_coefficient: coefficient.default(2),
  depth_coefficient: coefficient.default(3.1),
  hidden_dim: size.default(2_560),
  /** Blocks that pad their input alike on both sides. */
  depthwise_padding: layerList(wholeNumber(0, MAX_LAYERS)).default([]),
  dropout_rate: probability.default(0.5),
  drop_connect_rate: probability.default(0.2),
})
export type EfficientnetConfig = z.infer<typeof efficientnetConfig>

interface Stage {
  readonly channels: number
  readonly outChannels: number
  readonly kernel: number
  readonly stride: number
  readonly expansion: number
  readonly repeats: number
}

/** `EfficientNetConfig`: what all published sizes scale. */
const stages: readonly Stage[] = [
  { channels: 32, outChannels: 16, kernel: 3, stride: 1, expansion: 1, repeats: 1 },
  { channels: 16, outChannels: 24, kernel: 3, stride: 2, expansion: 6, repeats: 2 },
  { channels: 24, outChannels: 40, kernel: 5, stride: 2, expansion: 6, repeats: 2 },
  { channels: 40, outChannels: 80, kernel: 3, stride: 2, expansion: 6, repeats: 3 },
  { channels: 80, outChannels: 112, kernel: 5, stride: 1, expansion: 6, repeats: 3 },
  { channels: 112, outChannels: 192, kernel: 5, stride: 2, expansion: 6, repeats: 4 },
  { channels: 192, outChannels: 320, kernel: 3, stride: 1, expansion: 6, repeats: 1 },
]

const STEM_CHANNELS = 32
const TOP_CHANNELS = 1_280
const DIVISOR = 8
/** Of a block's input channels, those that its factors are made from. */
const SQUEEZED = 0.25

/** `round_filters` */
function scaled(channels: number, { width_coefficient: width }: EfficientnetConfig): number {
  const wanted = channels * width
  const nearest = Math.max(DIVISOR, Math.floor((wanted + DIVISOR / 2) / DIVISOR) * DIVISOR)
  return nearest < 0.9 * wanted ? nearest + DIVISOR : nearest
}

interface Block extends Omit<Stage, 'repeats'> {
  readonly dropRate: number
  /** Rows and columns of zeros on either side. */
  readonly padding: readonly [before: number, after: number]
  readonly skips: boolean
}

/** Of each block, its stage and its place in that. */
function placesOf({ depth_coefficient: depth }: EfficientnetConfig) {
  return stages.flatMap((stage, number) =>
    Array.from({ length: Math.ceil(depth * stage.repeats) }, (_, index) => ({ stage, number, index })),
  )
}

/** In which stage a block stands, and where in it, both from 0; and whether it widens its input first. */
export function placeOfBlock(config: EfficientnetConfig, block: number) {
  const place = placesOf(config)[block]
  return place && { stage: place.number, index: place.index, isWidening: place.stage.expansion > 1 }
}

function blocksOf(config: EfficientnetConfig): readonly Block[] {
  const all = placesOf(config)
  const count = all.length
  return all.map(({ stage, index }, number): Block => {
    const outChannels = scaled(stage.outChannels, config)
    const half = Math.floor(stage.kernel / 2)
    return {
      ...stage,
      outChannels,
      channels: index > 0 ? outChannels : scaled(stage.channels, config),
      stride: index > 0 ? 1 : stage.stride,
      dropRate: (config.drop_connect_rate * number) / count,
      padding: [config.depthwise_padding.includes(number) ? half : half - 1, half],
      skips: index > 0,
    }
  })
}

function efficientnet(ops: Builder, config: EfficientnetConfig, { labels }: ProgramTerms): Value {
  const stem = { channels: scaled(STEM_CHANNELS, config), kernel: 3, stride: 2, padding: 0 }
  const embedded = ops.frame(ops.input(), input =>
    activated(ops, 'embeddings', ['convolution', 'batchnorm'], ops.paddedPixels(input, 0, 1), stem),
  )
  const encoded = ops.frame(embedded, input => encode(ops, config, input))
  const pooled = ops.globalAveragePool(encoded, { keepsInput: true })
  return ops.linear('classifier', ops.dropout(pooled, config.dropout_rate), labels)
}

function encode(ops: Builder, config: EfficientnetConfig, embedded: Value): Value {
  let x = embedded
  blocksOf(config).forEach((shape, index) => {
    x = ops.frame(x, input => block(ops, `encoder.blocks.${index}`, input, shape))
  })
  const top = { channels: scaled(TOP_CHANNELS, config), kernel: 1, stride: 1 }
  return activated(ops, 'encoder', ['top_conv', 'top_bn'], x, top)
}

function block(ops: Builder, name: string, x: Value, shape: Block): Value {
  const { channels, outChannels, kernel, stride, expansion, dropRate, padding, skips } = shape
  const width = channels * expansion
  const expanding = { channels: width, kernel: 1, stride: 1 }
  const expand = (input: Value) => activated(ops, `${name}.expansion`, ['expand_conv', 'expand_bn'], input, expanding)
  const wide = expansion === 1 ? x : ops.frame(x, expand)
  const depthwise = { channels: width, kernel, stride, groups: width, ...(stride === 2 && { padding: 0 }) }
  const filtered = ops.frame(wide, input => {
    const padded = stride === 2 ? ops.paddedPixels(input, ...padding) : input
    return activated(ops, `${name}.depthwise_conv`, ['depthwise_conv', 'depthwise_norm'], padded, depthwise)
  })
  const squeezed = Math.max(1, Math.floor(channels * SQUEEZED))
  const weighted = ops.frame(filtered, input => weightedChannels(ops, `${name}.squeeze_excite`, input, width, squeezed))
  return ops.frame(weighted, input => {
    const projected = ops.conv2d(`${name}.projection.project_conv`, input, outChannels, { kernel: 1, stride: 1 })
    const narrowed = ops.batchNorm(`${name}.projection.project_bn`, projected)
    return skips ? ops.residual(ops.dropout(narrowed, dropRate), x) : narrowed
  })
}

/** EfficientNetSqueezeExciteLayer. */
function weightedChannels(ops: Builder, name: string, x: Value, width: number, squeezed: number): Value {
  const pointwise = { kernel: 1, stride: 1, bias: true }
  const reduced = ops.conv2d(`${name}.reduce`, ops.asPixel(ops.globalAveragePool(x)), squeezed, pointwise)
  return ops.multiply(x, ops.sigmoid(ops.conv2d(`${name}.expand`, ops.silu(reduced), width, pointwise)))
}

interface ConvolutionShape {
  readonly channels: number
  readonly kernel: number
  readonly stride: number
  readonly padding?: number
  readonly groups?: number
}

function activated(
  ops: Builder,
  name: string,
  [convolution, norm]: readonly [string, string],
  x: Value,
  { channels, ...shape }: ConvolutionShape,
): Value {
  return ops.silu(ops.batchNorm(`${name}.${norm}`, ops.conv2d(`${name}.${convolution}`, x, channels, shape)))
}

export const efficientnetFamily = family('image', efficientnetConfig, efficientnet, {
  withoutCheckpointing: true,
  imageSize: config => config.image_size,
})
