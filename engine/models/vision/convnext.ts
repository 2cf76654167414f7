/** ConvNeXt: depthwise convolutions in blocks shaped like a transformer's. transformers: models/convnext. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { probability, size, stageDepths } from '../schema.ts'

const convnextConfig = z.object({
  model_type: z.literal('convnext'),
  patch_size: size.default(4),
  hidden_sizes: z.array(size).min(1).max(20).default([96, 192, 384, 768]),
  depths: stageDepths.default([3, 3, 9, 3]),
  layer_scale_init_value: z.number().default(1e-6),
  drop_path_rate: probability.default(0),
})
type ConvnextConfig = z.infer<typeof convnextConfig>

/** Features inside a block over those between blocks. */
const EXPANSION = 4

function convnext(ops: Builder, config: ConvnextConfig, { labels }: ProgramTerms): Value {
  const { patch_size: patch, hidden_sizes: sizes } = config
  const [channels = 0] = sizes
  const stem = { kernel: patch, stride: patch, padding: 0, bias: true }
  const patches = ops.conv2d('embeddings.patch_embeddings', ops.input(), channels, stem)
  const embedded = imageNorm(ops, 'embeddings.layernorm', patches)
  const encoded = ops.frame(embedded, input => encode(ops, config, input))
  return ops.linear('classifier', ops.layerNorm('layernorm', ops.globalAveragePool(encoded)), labels)
}

function encode(ops: Builder, config: ConvnextConfig, embedded: Value): Value {
  const { hidden_sizes: sizes, depths, drop_path_rate: lastRate } = config
  const lastIndex = depths.reduce((sum, depth) => sum + depth, 0) - 1
  let x = embedded
  sizes.forEach((channels, stage) => {
    const name = `encoder.stages.${stage}`
    if (stage > 0) x = downsample(ops, `${name}.downsampling_layer`, x, channels)
    const before = depths.slice(0, stage).reduce((sum, depth) => sum + depth, 0)
    const rateOf = (index: number) => (lastIndex === 0 ? 0 : (lastRate * (before + index)) / lastIndex)
    const kinds = Array.from({ length: depths[stage] ?? 0 }, (_, index) => (rateOf(index) > 0 ? 'drops' : 'keeps'))
    x = ops.layers(x, `${name}.layers`, kinds, (states, { name: path, index }) => {
      const shape = { channels, dropRate: rateOf(index) }
      return ops.block(states, input => layer(ops, config, path, input, shape))
    })
  })
  return x
}

function downsample(ops: Builder, name: string, x: Value, channels: number): Value {
  const halving = { kernel: 2, stride: 2, padding: 0, bias: true }
  return ops.conv2d(`${name}.1`, imageNorm(ops, `${name}.0`, x), channels, halving)
}

interface LayerShape {
  readonly channels: number
  readonly dropRate: number
}

function layer(
  ops: Builder,
  config: ConvnextConfig,
  name: string,
  x: Value,
  { channels, dropRate }: LayerShape,
): Value {
  const depthwise = { kernel: 7, stride: 1, bias: true, groups: channels }
  const filtered = ops.channelsLast(ops.conv2d(`${name}.dwconv`, x, channels, depthwise))
  const widened = ops.linear(`${name}.pwconv1`, ops.layerNorm(`${name}.layernorm`, filtered), EXPANSION * channels)
  const narrowed = ops.linear(`${name}.pwconv2`, ops.gelu(widened), channels)
  const isScaled = config.layer_scale_init_value > 0
  const scaled = isScaled ? ops.layerScale(`${name}.layer_scale_parameter`, narrowed) : narrowed
  return ops.residual(ops.dropPath(ops.channelsFirst(scaled), dropRate), x)
}

/** ConvNextLayerNorm with `channels_first`. */
function imageNorm(ops: Builder, name: string, x: Value): Value {
  return ops.channelsFirst(ops.layerNorm(name, ops.channelsLast(x)))
}

export const convnextFamily = family('image', convnextConfig, convnext, { withoutCheckpointing: true })
