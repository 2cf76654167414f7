/** The sizes and stages of Ultralytics' YOLO, version by version. ultralytics 8.4: cfg/models. */
import * as z from 'zod'

const versions = ['v8', '11', '26'] as const
const sizes = ['n', 's', 'm', 'l', 'x'] as const

export const yoloConfig = z.object({
  model_type: z.literal('yolo'),
  version: z.enum(versions),
  size: z.enum(sizes),
  /** `pose`: a detector that finds keypoints too. */
  head: z.enum(['detect', 'pose', 'classify']).default('detect'),
})
export type YoloConfig = z.infer<typeof yoloConfig>

/** Of a size: the share of a version's repeats, the share of its channels, and the most channels before that. */
type Scale = readonly [depth: number, width: number, maxChannels: number]

/** Blocks of which each reads the one before, and a convolution over all of their outputs. */
export interface Stage {
  readonly channels: number
  readonly repeats: number
  /** A bottleneck; such a stage itself, of two of them; or one that attention follows. */
  readonly block: 'bottleneck' | 'nested' | 'attending'
  /** Channels of a block over those of the stage. */
  readonly share: number
  readonly skips: boolean
}

export interface Version {
  readonly scales: Readonly<Record<YoloConfig['size'], Scale>>
  /** A stage at each size from the second on, and those of the neck: two up, two down. */
  readonly backbone: readonly [Stage, Stage, Stage, Stage]
  readonly neck: readonly [Stage, Stage, Stage, Stage]
  /** Whether attention follows the backbone. */
  readonly attends: boolean
  /** Whether what is pooled is added to what it was pooled from. */
  readonly poolsBeside: boolean
  /** Whether the scores' convolutions see each channel on its own, and the blocks' inner channels are half as many. */
  readonly isLight: boolean
  /** Distances that a box's side is told apart in; one is the distance itself. */
  readonly bins: number
  /** Whether a second head learns to name every object once, from images whose features it does not train. */
  readonly namesOnce: boolean
}

export const half = 0.5
const v8Stage = (channels: number, repeats: number, skips: boolean): Stage => ({
  channels,
  repeats,
  skips,
  block: 'bottleneck',
  share: half,
})
const v11Stage = (channels: number, block: Stage['block'], share = half): Stage => ({
  channels,
  block,
  share,
  repeats: 2,
  skips: true,
})
const attendingStage = (channels: number): Stage => ({ ...v11Stage(channels, 'attending'), repeats: 1 })

const v11Scales: Version['scales'] = {
  n: [0.5, 0.25, 1_024],
  s: [0.5, 0.5, 1_024],
  m: [0.5, 1, 512],
  l: [1, 1, 512],
  x: [1, 1.5, 512],
}
const v11Backbone: Version['backbone'] = [
  v11Stage(256, 'bottleneck', 0.25),
  v11Stage(512, 'bottleneck', 0.25),
  v11Stage(512, 'nested'),
  v11Stage(1_024, 'nested'),
]

export const architectures: Readonly<Record<YoloConfig['version'], Version>> = {
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
    poolsBeside: false,
    isLight: false,
    bins: 16,
    namesOnce: false,
  },
  '11': {
    scales: v11Scales,
    backbone: v11Backbone,
    neck: [
      v11Stage(512, 'bottleneck'),
      v11Stage(256, 'bottleneck'),
      v11Stage(512, 'bottleneck'),
      v11Stage(1_024, 'nested'),
    ],
    attends: true,
    poolsBeside: false,
    isLight: true,
    bins: 16,
    namesOnce: false,
  },
  '26': {
    scales: v11Scales,
    backbone: v11Backbone,
    neck: [v11Stage(512, 'nested'), v11Stage(256, 'nested'), v11Stage(512, 'nested'), attendingStage(1_024)],
    attends: true,
    poolsBeside: true,
    isLight: true,
    bins: 1,
    namesOnce: true,
  },
}

/** Halvings make images of other sizes impossible. */
export const PIXEL_STRIDE = 32

/** Of an image: those of all three sizes together. */
export function pixelsAnswering(imageSize: number): number {
  return [8, 16, 32].reduce((sum, stride) => sum + (imageSize / stride) ** 2, 0)
}
