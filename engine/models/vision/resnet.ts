/** ResNet, with basic blocks (18, 34) or bottlenecks (50, 101, 152). transformers: models/resnet. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { size, stageDepths } from '../schema.ts'

const resnetConfig = z.object({
  model_type: z.literal('resnet'),
  embedding_size: size.default(64),
  hidden_sizes: z.array(size).min(1).max(20).default([256, 512, 1_024, 2_048]),
  depths: stageDepths.default([3, 4, 6, 3]),
  layer_type: z.enum(['basic', 'bottleneck']).default('bottleneck'),
  downsample_in_first_stage: z.boolean().default(false),
  downsample_in_bottleneck: z.boolean().default(false),
})
type ResnetConfig = z.infer<typeof resnetConfig>

/** Output channels over the channels inside a bottleneck. */
const REDUCTION = 4

function resnet(ops: Builder, config: ResnetConfig, { labels }: ProgramTerms): Value {
  const stem = convolution(ops, 'embedder', ops.input(), config.embedding_size, { kernel: 7, stride: 2 })
  const embedded = ops.maxPool(ops.relu(stem), { kernel: 3, stride: 2, padding: 1 })
  // ResNetModel.forward holds it as `embedding_output`.
  const x = ops.frame(embedded, input => encode(ops, config, input))
  return ops.linear('classifier', ops.globalAveragePool(x), labels)
}

function encode(ops: Builder, config: ResnetConfig, embedded: Value): Value {
  let x = embedded
  let channels = config.embedding_size
  config.hidden_sizes.forEach((outChannels, stage) => {
    for (let layer = 0; layer < (config.depths[stage] ?? 0); layer++) {
      const downsamples = layer === 0 && (stage > 0 || config.downsample_in_first_stage)
      const shape = { channels, outChannels, stride: downsamples ? 2 : 1 }
      x = ops.frame(x, input => residualLayer(ops, config, `stages.${stage}.layers.${layer}`, input, shape))
      channels = outChannels
    }
  })
  return x
}

interface LayerShape {
  readonly channels: number
  readonly outChannels: number
  readonly stride: number
}

function residualLayer(ops: Builder, config: ResnetConfig, name: string, x: Value, shape: LayerShape): Value {
  const { channels, outChannels, stride } = shape
  const inner = config.layer_type === 'basic' ? basic(ops, name, x, shape) : bottleneck(ops, config, name, x, shape)
  const projects = channels !== outChannels || stride !== 1
  const skip = projects ? convolution(ops, `${name}.shortcut`, x, outChannels, { kernel: 1, stride }) : x
  return ops.relu(ops.residual(inner, skip, { inPlace: true }))
}

function basic(ops: Builder, name: string, x: Value, { outChannels, stride }: LayerShape): Value {
  const first = ops.relu(convolution(ops, `${name}.0`, x, outChannels, { kernel: 3, stride }))
  return convolution(ops, `${name}.1`, first, outChannels, { kernel: 3, stride: 1 })
}

function bottleneck(ops: Builder, config: ResnetConfig, name: string, x: Value, shape: LayerShape): Value {
  const { outChannels, stride } = shape
  const inside = outChannels / REDUCTION
  const [firstStride, secondStride] = config.downsample_in_bottleneck ? [stride, 1] : [1, stride]
  const narrowed = ops.relu(convolution(ops, `${name}.0`, x, inside, { kernel: 1, stride: firstStride }))
  const filtered = ops.relu(convolution(ops, `${name}.1`, narrowed, inside, { kernel: 3, stride: secondStride }))
  return convolution(ops, `${name}.2`, filtered, outChannels, { kernel: 1, stride: 1 })
}

function convolution(
  ops: Builder,
  name: string,
  x: Value,
  outChannels: number,
  options: { kernel: number; stride: number },
): Value {
  return ops.frame(x, input =>
    ops.batchNorm(`${name}.normalization`, ops.conv2d(`${name}.convolution`, input, outChannels, options)),
  )
}

export const resnetFamily = family('image', resnetConfig, resnet, { withoutCheckpointing: true })
