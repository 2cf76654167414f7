/** The names that torchvision and timm give EfficientNet's modules. */
import { type EfficientnetConfig, placeOfBlock } from '../../../models/vision/efficientnet.ts'

type Names = Readonly<Record<string, string>>

const parts = [
  'expansion.expand_conv',
  'expansion.expand_bn',
  'depthwise_conv.depthwise_conv',
  'depthwise_conv.depthwise_norm',
  'squeeze_excite.reduce',
  'squeeze_excite.expand',
  'projection.project_conv',
  'projection.project_bn',
]

function named(names: readonly string[]): Names {
  const last = parts.slice(-names.length)
  return Object.fromEntries(names.map((name, index) => [last[index], name]))
}

interface Library {
  readonly ends: Names
  readonly blocks: string
  /** Of the number of the first stage. */
  readonly firstStage: number
  /** Blocks that widen their input first, and those that do not. */
  readonly widening: Names
  readonly narrow: Names
}

/** torchvision 0.29 models/efficientnet.py. */
const torchvision: Library = {
  ends: {
    'embeddings.convolution': 'features.0.0',
    'embeddings.batchnorm': 'features.0.1',
    'encoder.top_conv': 'features.8.0',
    'encoder.top_bn': 'features.8.1',
    classifier: 'classifier.1',
  },
  blocks: 'features',
  firstStage: 1,
  widening: named(['0.0', '0.1', '1.0', '1.1', '2.fc1', '2.fc2', '3.0', '3.1'].map(name => `block.${name}`)),
  narrow: named(['0.0', '0.1', '1.fc1', '1.fc2', '2.0', '2.1'].map(name => `block.${name}`)),
}

/** timm 1.0 models/efficientnet.py and _efficientnet_blocks.py. */
const timm: Library = {
  ends: {
    'embeddings.convolution': 'conv_stem',
    'embeddings.batchnorm': 'bn1',
    'encoder.top_conv': 'conv_head',
    'encoder.top_bn': 'bn2',
    classifier: 'classifier',
  },
  blocks: 'blocks',
  firstStage: 0,
  widening: named(['conv_pw', 'bn1', 'conv_dw', 'bn2', 'se.conv_reduce', 'se.conv_expand', 'conv_pwl', 'bn3']),
  narrow: named(['conv_dw', 'bn1', 'se.conv_reduce', 'se.conv_expand', 'conv_pw', 'bn2']),
}

/** Of one module, each in a library of its own. */
export function efficientnetNamings(config: EfficientnetConfig): readonly ((module: string) => readonly string[])[] {
  return [torchvision, timm].map(library => module => [nameIn(library, module, config)])
}

function nameIn(library: Library, module: string, config: EfficientnetConfig): string {
  const [, number, part = ''] = /^encoder\.blocks\.(\d+)\.(.+)$/.exec(module) ?? []
  const place = number === undefined ? undefined : placeOfBlock(config, Number(number))
  if (place === undefined) return library.ends[module] ?? module
  const name = (place.isWidening ? library.widening : library.narrow)[part] ?? part
  return `${library.blocks}.${place.stage + library.firstStage}.${place.index}.${name}`
}
