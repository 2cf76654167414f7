/**
 * Ultralytics' YOLO: a backbone that halves the image five times; then a classifier, or a neck that goes up again and down once
 * more, and a detector over three sizes. ultralytics 8.4: cfg/models, nn/tasks.py parse_model, nn/modules.
 */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import type { Family } from '../family.ts'
import { IMAGENET_PIXELS } from '../family.ts'
import { attentionStage, convolution, joinedChannels, pointwise, pooling, stageOf } from './yolo-blocks.ts'
import { architectures, half, type Stage, type Version, type YoloConfig, yoloConfig } from './yolo-versions.ts'

/** A detector's outputs that the loss reads, over all three scales. */
export interface Detections {
  /** The distances to the four sides of a box, or how likely each of several is: [b, 4·bins, pixels]. */
  readonly boxes: Value
  /** [b, classes, pixels]. */
  readonly scores: Value
  /** Where the keypoints of an object are and whether they are seen: [b, 3·keypoints, pixels]. */
  readonly keypoints?: Value
}

/** The parts of a network, numbered as they come. */
interface Layers {
  nextName(): string
  next(x: Value, body: (name: string, x: Value) => Value): Value
  halved(x: Value, channels: number): Value
  staged(x: Value, stage: Stage): Value
  /** Channels of a stage. */
  width(channels: number): number
  repeated(repeats: number): number
}

function layersOf(ops: Builder, { version, size, head }: YoloConfig): Layers {
  const { scales, isLight } = architectures[version]
  const [depth, share, maxChannels] = scales[size]
  // cfg/models/v8/yolov8-cls.yaml: nothing caps the channels of its classifiers.
  const width = widthOf(share, version === 'v8' && head === 'classify' ? 1_024 : maxChannels)
  const repeated = (repeats: number) => (repeats > 1 ? Math.max(Math.round(repeats * depth), 1) : repeats)
  let count = 0
  const nextName = () => `model.${count++}`
  const next: Layers['next'] = (x, body) => {
    const name = nextName()
    return ops.frame(x, input => body(name, input))
  }
  return {
    nextName,
    next,
    width,
    repeated,
    halved: (x, channels) =>
      next(x, (name, input) => convolution(ops, name, input, { channels: width(channels), kernel: 3, stride: 2 })),
    staged: (x, stage) =>
      next(x, (name, input) => {
        const nests = isLight && stage.block === 'bottleneck' && ['m', 'l', 'x'].includes(size)
        const block = nests ? 'nested' : stage.block
        const scaled = { ...stage, block, channels: width(stage.channels), repeats: repeated(stage.repeats) } as const
        return stageOf(ops, name, input, scaled, isLight ? half : 1)
      }),
  }
}

/** The features at an eighth, a sixteenth and a thirty-second of the image's size. */
function backbone(ops: Builder, config: YoloConfig, layers: Layers): readonly [Value, Value, Value] {
  const version = architectures[config.version]
  const { next, halved, staged, width } = layers
  const [quarter, eighth, sixteenth, thirtySecond] = version.backbone
  const stem = halved(halved(ops.input(), 64), 128)
  const p3 = staged(halved(staged(stem, quarter), 256), eighth)
  const p4 = staged(halved(p3, 512), sixteenth)
  const last = staged(halved(p4, 1_024), thirtySecond)
  const pooled =
    config.head !== 'classify'
      ? next(last, (name, x) => pooling(ops, name, x, width(1_024), version.poolsBeside))
      : last
  const attend = (name: string, x: Value) => attentionStage(ops, name, x, width(1_024), layers.repeated(2))
  return [p3, p4, version.attends ? next(pooled, attend) : pooled]
}

/** The side of the images of COCO, which the detectors were trained on, as Ultralytics scales them. */
const COCO_PIXELS = 640

/** Features that a classifier pools, whatever the image's size. */
const POOLED_FEATURES = 1_280

/** → [b, classes]. nn/modules/head.py Classify. */
function yoloClassifier(ops: Builder, config: YoloConfig, classes: number): Value {
  const layers = layersOf(ops, config)
  const [, , p5] = backbone(ops, config, layers)
  return layers.next(p5, (name, x) => {
    const features = ops.globalAveragePool(pointwise(ops, `${name}.conv`, x, POOLED_FEATURES))
    return ops.linear(`${name}.linear`, features, classes)
  })
}

/** What each head of a detector gives. */
export function yoloDetector(
  ops: Builder,
  config: YoloConfig,
  classes: number,
): readonly [Detections, ...Detections[]] {
  const version = architectures[config.version]
  const layers = layersOf(ops, config)
  const { next, halved, staged, width } = layers
  const [p3, p4, p5] = backbone(ops, config, layers)
  const doubled = (x: Value) => next(x, (_, input) => ops.upsampleNearest(input))
  const joined = (x: Value, other: Value) => next(x, (_, input) => joinedChannels(ops, [input, other]))
  const [upOnce, upTwice, downOnce, downTwice] = version.neck
  const middle = staged(joined(doubled(p5), p4), upOnce)
  const fine = staged(joined(doubled(middle), p3), upTwice)
  const medium = staged(joined(halved(fine, 256), middle), downOnce)
  const coarse = staged(joined(halved(medium, 512), p5), downTwice)
  const levels = [
    { x: fine, channels: width(upTwice.channels) },
    { x: medium, channels: width(downOnce.channels) },
    { x: coarse, channels: width(downTwice.channels) },
  ]
  return detect(ops, layers.nextName(), levels, { classes, version, findsKeypoints: config.head === 'pose' })
}

/** nn/tasks.py make_divisible: a multiple of eight. */
function widthOf(share: number, maxChannels: number): (channels: number) => number {
  return channels => Math.ceil((Math.min(channels, maxChannels) * share) / 8) * 8
}

interface Level {
  readonly x: Value
  readonly channels: number
}

interface HeadShape {
  readonly classes: number
  readonly version: Version
  readonly findsKeypoints: boolean
}

/** Of a person, as in COCO: a place and whether it is seen. */
const KEYPOINT_NUMBERS = 17 * 3

/** nn/modules/head.py Detect: for every size and pixel the distances to a box's sides, and a score for each class. */
function detect(
  ops: Builder,
  name: string,
  levels: readonly Level[],
  shape: HeadShape,
): readonly [Detections, ...Detections[]] {
  const { bins, namesOnce } = shape.version
  // Reads the distances where boxes are told from them, and does not train.
  if (bins > 1) ops.idle(bins, x => ops.linear(`${name}.dfl.conv`, x, 1, { bias: false }))
  const first = detections(ops, `${name}.`, levels, shape)
  if (!namesOnce) return [first]
  const apart = levels.map(({ x, channels }) => ({ x: ops.detached(x), channels }))
  return [first, detections(ops, `${name}.one2one_`, apart, shape)]
}

function detections(
  ops: Builder,
  name: string,
  levels: readonly Level[],
  { classes, version, findsKeypoints }: HeadShape,
): Detections {
  const { isLight, bins } = version
  const finest = levels[0]?.channels ?? 0
  const boxChannels = Math.max(16, Math.floor(finest / 4), 4 * bins)
  const scoreChannels = Math.max(finest, Math.min(classes, 100))
  const last = { kernel: 1, stride: 1, bias: true }
  const branches = (part: string, channels: number, numbers: number) =>
    levels.map(({ x }, index) => {
      const branch = `${name}${part}.${index}`
      const first = convolution(ops, `${branch}.0`, x, { channels, kernel: 3 })
      const second = convolution(ops, `${branch}.1`, first, { channels, kernel: 3 })
      return ops.conv2d(`${branch}.2`, second, numbers, last)
    })
  const boxes = ops.joinPixels(branches('cv2', boxChannels, 4 * bins))
  const scores = levels.map(({ x, channels }, index) => {
    const branch = `${name}cv3.${index}`
    const filter = (part: string, input: Value, inChannels: number) =>
      isLight
        ? separable(ops, `${branch}.${part}`, input, inChannels, scoreChannels)
        : convolution(ops, `${branch}.${part}`, input, { channels: scoreChannels, kernel: 3 })
    return ops.conv2d(`${branch}.2`, filter('1', filter('0', x, channels), scoreChannels), classes, last)
  })
  const found = { boxes, scores: ops.joinPixels(scores) }
  if (!findsKeypoints) return found
  const keypointChannels = Math.max(Math.floor(finest / 4), KEYPOINT_NUMBERS)
  return { ...found, keypoints: ops.joinPixels(branches('cv4', keypointChannels, KEYPOINT_NUMBERS)) }
}

function separable(ops: Builder, name: string, x: Value, inChannels: number, channels: number): Value {
  const depthwise = { channels: inChannels, kernel: 3, groups: inChannels }
  return pointwise(ops, `${name}.1`, convolution(ops, `${name}.0`, x, depthwise), channels)
}

export const yoloFamily: Family<typeof yoloConfig> = {
  config: yoloConfig,
  kind: ({ head }) => (head === 'classify' ? 'image' : 'detector'),
  forward: (ops, config, { labels }) =>
    config.head === 'classify' ? yoloClassifier(ops, config, labels) : yoloDetector(ops, config, labels)[0].scores,
  imageSize: ({ head }) => (head === 'classify' ? IMAGENET_PIXELS : COCO_PIXELS),
  withoutCheckpointing: true,
  codeFrom: 'ultralytics',
}
