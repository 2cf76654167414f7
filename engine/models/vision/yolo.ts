/**
 * Ultralytics' YOLO detectors: a backbone that halves the image five times, a neck that goes up again and down once more, and a
 * head over three sizes. ultralytics 8.4: cfg/models, nn/tasks.py parse_model, nn/modules.
 */
import * as z from 'zod'
import type { Ops } from '../ops.ts'

const versions = ['v8', '11'] as const
const sizes = ['n', 's', 'm', 'l', 'x'] as const

export const yoloConfig = z.object({
  model_type: z.literal('yolo'),
  version: z.enum(versions),
  size: z.enum(sizes),
})
export type YoloConfig = z.infer<typeof yoloConfig>

/** What a training step reads of the three sizes together: [b, 4·bins, pixels] and [b, classes, pixels]. */
export interface Detections<T> {
  /** How likely each distance is to the four sides of a box. */
  readonly boxes: T
  readonly scores: T
}

/** Of a size: the share of a version's repeats, the share of its channels, and the most channels before that. */
type Scale = readonly [depth: number, width: number, maxChannels: number]

/** Blocks of which each reads the one before, and a convolution over all of their outputs. */
interface Stage {
  readonly channels: number
  readonly repeats: number
  /** Whether a block is itself such a stage, of two bottlenecks. */
  readonly nests: boolean
  /** Channels of a block over those of the stage. */
  readonly share: number
  readonly skips: boolean
}

interface Version {
  readonly scales: Readonly<Record<YoloConfig['size'], Scale>>
  /** A stage at each size from the second on, and those of the neck: two up, two down. */
  readonly backbone: readonly [Stage, Stage, Stage, Stage]
  readonly neck: readonly [Stage, Stage, Stage, Stage]
  /** Whether attention follows the backbone. */
  readonly attends: boolean
  /** Whether the scores' convolutions see each channel on its own, and the blocks' inner channels are half as many. */
  readonly isLight: boolean
}

const half = 0.5
const v8Stage = (channels: number, repeats: number, skips: boolean): Stage => ({
  ...{ channels, repeats, skips },
  nests: false,
  share: half,
})
const v11Stage = (channels: number, nests: boolean, share = half): Stage => ({
  ...{ channels, nests, share },
  repeats: 2,
  skips: true,
})

const architectures: Readonly<Record<YoloConfig['version'], Version>> = {
  v8: {
    scales: {
      n: [0.33, 0.25, 1_024],
      s: [0.33, 0.5, 1_024],
      m: [0.67, 0.75, 768],
      l: [1, 1, 512],
      x: [1, 1.25, 512],
    },
    backbone: [v8Stage(128, 3, true), v8Stage(256, 6, true), v8Stage(512, 6, true), v8Stage(1_024, 3, true)],
    neck: [v8Stage(512, 3, false), v8Stage(256, 3, false), v8Stage(512, 3, false), v8Stage(1_024, 3, false)],
    attends: false,
    isLight: false,
  },
  '11': {
    scales: {
      n: [0.5, 0.25, 1_024],
      s: [0.5, 0.5, 1_024],
      m: [0.5, 1, 512],
      l: [1, 1, 512],
      x: [1, 1.5, 512],
    },
    backbone: [v11Stage(256, false, 0.25), v11Stage(512, false, 0.25), v11Stage(512, true), v11Stage(1_024, true)],
    neck: [v11Stage(512, false), v11Stage(256, false), v11Stage(512, false), v11Stage(1_024, true)],
    attends: true,
    isLight: true,
  },
}

/** Distances that a box's side is told apart in. */
export const DISTANCE_BINS = 16
/** Halvings make images of other sizes impossible. */
export const PIXEL_STRIDE = 32

/** Of an image: those of all three sizes together. */
export function pixelsAnswering(imageSize: number): number {
  return [8, 16, 32].reduce((sum, stride) => sum + (imageSize / stride) ** 2, 0)
}

export function yolo<T>(ops: Ops<T>, config: YoloConfig, classes: number): Detections<T> {
  const version = architectures[config.version]
  const [depth, ,] = version.scales[config.size]
  const width = widthOf(version.scales[config.size])
  const repeated = (repeats: number) => Math.max(Math.round(repeats * depth), 1)
  let layers = 0
  const layer = (x: T, body: (name: string, x: T) => T) => {
    const name = `model.${layers++}`
    return ops.frame(x, input => body(name, input))
  }
  const halved = (x: T, channels: number) =>
    layer(x, (name, input) => convolution(ops, name, input, { channels: width(channels), kernel: 3, stride: 2 }))
  const staged = (x: T, stage: Stage) =>
    layer(x, (name, input) => {
      const nests = stage.nests || (version.isLight && ['m', 'l', 'x'].includes(config.size))
      const scaled = { ...stage, nests, channels: width(stage.channels), repeats: repeated(stage.repeats) }
      return stageOf(ops, name, input, scaled, version.isLight ? half : 1)
    })
  const doubled = (x: T) => layer(x, (_, input) => ops.upsampleNearest(input))
  const joined = (x: T, other: T) => layer(x, (_, input) => joinedChannels(ops, [input, other]))

  const [quarter, eighth, sixteenth, thirtySecond] = version.backbone
  const stem = halved(halved(ops.input, 64), 128)
  const p3 = staged(halved(staged(stem, quarter), 256), eighth)
  const p4 = staged(halved(p3, 512), sixteenth)
  const pooled = layer(staged(halved(p4, 1_024), thirtySecond), (name, x) => pooling(ops, name, x, width(1_024)))
  const p5 = version.attends
    ? layer(pooled, (name, x) => attentionStage(ops, name, x, width(1_024), repeated(2)))
    : pooled

  const [upOnce, upTwice, downOnce, downTwice] = version.neck
  const middle = staged(joined(doubled(p5), p4), upOnce)
  const fine = staged(joined(doubled(middle), p3), upTwice)
  const medium = staged(joined(halved(fine, 256), middle), downOnce)
  const coarse = staged(joined(halved(medium, 512), p5), downTwice)
  const levels = [fine, medium, coarse].map((x, index) => ({
    x,
    channels: width([upTwice, downOnce, downTwice][index]?.channels ?? 0),
  }))
  return detect(ops, `model.${layers}`, levels, { classes, isLight: version.isLight })
}

/** nn/tasks.py make_divisible: a multiple of eight. */
function widthOf([, width, maxChannels]: Scale): (channels: number) => number {
  return channels => Math.ceil((Math.min(channels, maxChannels) * width) / 8) * 8
}

interface ConvolutionShape {
  readonly channels: number
  readonly kernel: number
  readonly stride?: number
  readonly groups?: number
  /** Whether an activation follows. */
  readonly activates?: boolean
}

/** nn/modules/conv.py Conv: SiLU works in place, on the norm's output, of which autograd then keeps a copy. */
function convolution<T>(ops: Ops<T>, name: string, x: T, shape: ConvolutionShape): T {
  const { channels, kernel, stride = 1, groups = 1, activates = true } = shape
  const filtered = ops.conv2d(`${name}.conv`, x, channels, { kernel, stride, groups })
  const normalised = ops.batchNorm(`${name}.bn`, filtered)
  return activates ? ops.silu(normalised) : normalised
}

function pointwise<T>(ops: Ops<T>, name: string, x: T, channels: number, activates = true): T {
  return convolution(ops, name, x, { channels, kernel: 1, activates })
}

/** nn/modules/block.py C2f and C3k2. */
function stageOf<T>(ops: Ops<T>, name: string, x: T, stage: Stage, innerShare: number): T {
  const channels = Math.floor(stage.channels * stage.share)
  const parts = halvesOf(ops, pointwise(ops, `${name}.cv1`, x, 2 * channels), channels)
  for (let index = 0; index < stage.repeats; index++) {
    const [last] = parts.slice(-1) as [T]
    const block = `${name}.m.${index}`
    parts.push(
      stage.nests
        ? nestedStage(ops, block, last, channels)
        : bottleneck(ops, block, last, { channels, inner: channels * innerShare, skips: stage.skips }),
    )
  }
  for (const part of parts) ops.local(part)
  return pointwise(ops, `${name}.cv2`, joinedChannels(ops, parts), stage.channels)
}

interface BottleneckShape {
  readonly channels: number
  readonly inner: number
  readonly skips: boolean
}

function bottleneck<T>(ops: Ops<T>, name: string, x: T, { channels, inner, skips }: BottleneckShape): T {
  const narrowed = convolution(ops, `${name}.cv1`, x, { channels: inner, kernel: 3 })
  const widened = convolution(ops, `${name}.cv2`, narrowed, { channels, kernel: 3 })
  return skips ? ops.add(x, widened) : widened
}

/** nn/modules/block.py C3k: two bottlenecks on half of the channels, beside the other half. */
function nestedStage<T>(ops: Ops<T>, name: string, x: T, channels: number): T {
  const inner = Math.floor(channels * half)
  const shape = { channels: inner, inner, skips: true }
  const first = bottleneck(ops, `${name}.m.0`, pointwise(ops, `${name}.cv1`, x, inner), shape)
  const second = bottleneck(ops, `${name}.m.1`, first, shape)
  return pointwise(ops, `${name}.cv3`, joinedChannels(ops, [second, pointwise(ops, `${name}.cv2`, x, inner)]), channels)
}

/** nn/modules/block.py SPPF: three poolings one after the other, and what they started from. */
function pooling<T>(ops: Ops<T>, name: string, x: T, channels: number): T {
  const pool = (input: T) => ops.maxPool(input, { kernel: 5, stride: 1, padding: 2 })
  const narrowed = pointwise(ops, `${name}.cv1`, x, channels / 2, false)
  const once = pool(narrowed)
  const twice = pool(once)
  const parts = [narrowed, once, twice, pool(twice)].map(part => ops.local(part))
  return pointwise(ops, `${name}.cv2`, joinedChannels(ops, parts), channels)
}

/** nn/modules/block.py C2PSA: attention over all pixels for half of the channels. */
function attentionStage<T>(ops: Ops<T>, name: string, x: T, channels: number, repeats: number): T {
  const inner = channels / 2
  const [kept, attending] = halvesOf(ops, pointwise(ops, `${name}.cv1`, x, channels), inner) as [T, T]
  let attended = attending
  for (let index = 0; index < repeats; index++) attended = attentionBlock(ops, `${name}.m.${index}`, attended, inner)
  return pointwise(ops, `${name}.cv2`, joinedChannels(ops, [kept, attended]), channels)
}

const HEAD_SIZE = 64

/** nn/modules/block.py PSABlock and Attention: keys and queries are half as wide as values. */
function attentionBlock<T>(ops: Ops<T>, name: string, x: T, channels: number): T {
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

interface Level<T> {
  readonly x: T
  readonly channels: number
}

/** nn/modules/head.py Detect: for every size and pixel the distances to a box's sides, and a score for each class. */
function detect<T>(
  ops: Ops<T>,
  name: string,
  levels: readonly Level<T>[],
  { classes, isLight }: { classes: number; isLight: boolean },
): Detections<T> {
  const finest = levels[0]?.channels ?? 0
  const boxChannels = Math.max(16, Math.floor(finest / 4), 4 * DISTANCE_BINS)
  const scoreChannels = Math.max(finest, Math.min(classes, 100))
  const last = { kernel: 1, stride: 1, bias: true }
  const boxes = levels.map(({ x }, index) => {
    const branch = `${name}.cv2.${index}`
    const first = convolution(ops, `${branch}.0`, x, { channels: boxChannels, kernel: 3 })
    const second = convolution(ops, `${branch}.1`, first, { channels: boxChannels, kernel: 3 })
    return ops.conv2d(`${branch}.2`, second, 4 * DISTANCE_BINS, last)
  })
  const joinedBoxes = ops.joinPixels(boxes)
  const scores = levels.map(({ x, channels }, index) => {
    const branch = `${name}.cv3.${index}`
    const filter = (part: string, input: T, inChannels: number) =>
      isLight
        ? separable(ops, `${branch}.${part}`, input, inChannels, scoreChannels)
        : convolution(ops, `${branch}.${part}`, input, { channels: scoreChannels, kernel: 3 })
    return ops.conv2d(`${branch}.2`, filter('1', filter('0', x, channels), scoreChannels), classes, last)
  })
  // Reads the distances where boxes are told from them, and does not train.
  ops.idle(DISTANCE_BINS, x => ops.linear(`${name}.dfl.conv`, x, 1, { bias: false }))
  return { boxes: joinedBoxes, scores: ops.joinPixels(scores) }
}

function separable<T>(ops: Ops<T>, name: string, x: T, inChannels: number, channels: number): T {
  const depthwise = { channels: inChannels, kernel: 3, groups: inChannels }
  return pointwise(ops, `${name}.1`, convolution(ops, `${name}.0`, x, depthwise), channels)
}

function halvesOf<T>(ops: Ops<T>, x: T, channels: number): T[] {
  return ops.split(ops.channelsLast(x), [channels, channels]).map(part => ops.channelsFirst(part))
}

function joinedChannels<T>(ops: Ops<T>, parts: readonly T[]): T {
  return ops.channelsFirst(ops.concatenate(parts.map(part => ops.channelsLast(part))))
}
