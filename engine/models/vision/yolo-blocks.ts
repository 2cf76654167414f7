/** The blocks that Ultralytics' YOLO is made of. ultralytics 8.4: nn/modules/conv.py and block.py. */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { half, type Stage } from './yolo-versions.ts'

export interface ConvolutionShape {
  readonly channels: number
  readonly kernel: number
  readonly stride?: number
  readonly groups?: number
  /** Whether an activation follows. */
  readonly activates?: boolean
}

/** nn/modules/conv.py Conv: SiLU works in place, on the norm's output, of which autograd then keeps a copy. */
export function convolution(ops: Builder, name: string, x: Value, shape: ConvolutionShape): Value {
  const { channels, kernel, stride = 1, groups = 1, activates = true } = shape
  const filtered = ops.conv2d(`${name}.conv`, x, channels, { kernel, stride, groups })
  const normalised = ops.batchNorm(`${name}.bn`, filtered)
  return activates ? ops.silu(normalised) : normalised
}

export function pointwise(ops: Builder, name: string, x: Value, channels: number, activates = true): Value {
  return convolution(ops, name, x, { channels, kernel: 1, activates })
}

/** nn/modules/block.py C2f and C3k2. */
export function stageOf(ops: Builder, name: string, x: Value, stage: Stage, innerShare: number): Value {
  const channels = Math.floor(stage.channels * stage.share)
  const parts = halvesOf(ops, pointwise(ops, `${name}.cv1`, x, 2 * channels), channels)
  for (let index = 0; index < stage.repeats; index++) {
    const [last] = parts.slice(-1) as [Value]
    const block = `${name}.m.${index}`
    const shape = { channels, inner: Math.floor(channels * innerShare), skips: stage.skips }
    if (stage.block === 'nested') parts.push(nestedStage(ops, block, last, channels))
    else if (stage.block === 'bottleneck') parts.push(bottleneck(ops, block, last, shape))
    else parts.push(attentionBlock(ops, `${block}.1`, bottleneck(ops, `${block}.0`, last, shape), channels))
  }
  for (const part of parts) ops.local(part)
  return pointwise(ops, `${name}.cv2`, joinedChannels(ops, parts), stage.channels)
}

interface BottleneckShape {
  readonly channels: number
  readonly inner: number
  readonly skips: boolean
}

function bottleneck(ops: Builder, name: string, x: Value, { channels, inner, skips }: BottleneckShape): Value {
  const narrowed = convolution(ops, `${name}.cv1`, x, { channels: inner, kernel: 3 })
  const widened = convolution(ops, `${name}.cv2`, narrowed, { channels, kernel: 3 })
  return skips ? ops.add(x, widened) : widened
}

/** nn/modules/block.py C3k: two bottlenecks on half of the channels, beside the other half. */
function nestedStage(ops: Builder, name: string, x: Value, channels: number): Value {
  const inner = Math.floor(channels * half)
  const shape = { channels: inner, inner, skips: true }
  const first = bottleneck(ops, `${name}.m.0`, pointwise(ops, `${name}.cv1`, x, inner), shape)
  const second = bottleneck(ops, `${name}.m.1`, first, shape)
  return pointwise(ops, `${name}.cv3`, joinedChannels(ops, [second, pointwise(ops, `${name}.cv2`, x, inner)]), channels)
}

/** nn/modules/block.py SPPF: three poolings one after the other, and what they started from. */
export function pooling(ops: Builder, name: string, x: Value, channels: number, isBeside: boolean): Value {
  const pool = (input: Value) => ops.maxPool(input, { kernel: 5, stride: 1, padding: 2 })
  const narrowed = pointwise(ops, `${name}.cv1`, x, channels / 2, false)
  const once = pool(narrowed)
  const twice = pool(once)
  const parts = [narrowed, once, twice, pool(twice)].map(part => ops.local(part))
  const pooled = pointwise(ops, `${name}.cv2`, joinedChannels(ops, parts), channels)
  return isBeside ? ops.add(pooled, x) : pooled
}

/** nn/modules/block.py C2PSA: attention over all pixels for half of the channels. */
export function attentionStage(ops: Builder, name: string, x: Value, channels: number, repeats: number): Value {
  const inner = channels / 2
  const [kept, attending] = halvesOf(ops, pointwise(ops, `${name}.cv1`, x, channels), inner) as [Value, Value]
  let attended = attending
  for (let index = 0; index < repeats; index++) attended = attentionBlock(ops, `${name}.m.${index}`, attended, inner)
  return pointwise(ops, `${name}.cv2`, joinedChannels(ops, [kept, attended]), channels)
}

const HEAD_SIZE = 64

/** nn/modules/block.py PSABlock and Attention: keys and queries are half as wide as values. */
function attentionBlock(ops: Builder, name: string, x: Value, channels: number): Value {
  const heads = Math.max(Math.floor(channels / HEAD_SIZE), 1)
  const valueSize = Math.floor(channels / heads)
  const keySize = Math.floor(valueSize / 2)
  const joined = pointwise(ops, `${name}.attn.qkv`, x, channels + 2 * heads * keySize, false)
  const [mixed, values] = ops.pixelAttention(joined, { heads, keySize, valueSize })
  const depthwise = { channels, kernel: 3, groups: channels, activates: false }
  const placed = ops.add(mixed, convolution(ops, `${name}.attn.pe`, values, depthwise))
  const attended = ops.add(x, pointwise(ops, `${name}.attn.proj`, placed, channels, false))
  const widened = pointwise(ops, `${name}.ffn.0`, attended, 2 * channels)
  return ops.add(attended, pointwise(ops, `${name}.ffn.1`, widened, channels, false))
}

function halvesOf(ops: Builder, x: Value, channels: number): Value[] {
  return ops.split(ops.channelsLast(x), [channels, channels]).map(part => ops.channelsFirst(part))
}

export function joinedChannels(ops: Builder, parts: readonly Value[]): Value {
  return ops.channelsFirst(ops.concatenate(parts.map(part => ops.channelsLast(part))))
}
