/** The image models of torchvision and timm by the names that the catalogue has for the same shapes. */

import { libraryName } from '../library.ts'
import type { Evaluator } from '../values/evaluator.ts'
import type { LibraryCall, Value } from '../values/values.ts'

/** torchvision 0.29 models/, timm 1.0 models/. */
const shapes: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/^resnet(18|34|50|101|152)(?:d?\..*)?$/, ([, depth]) => `microsoft/resnet-${depth}`],
  [/^vit_(base|large)_patch(16|32)_(224|384)(?:\..*)?$/, ([, size, patch, side]) => vit(size, patch, side)],
  [/^vit_(b|l)_(16|32)$/, ([, size, patch]) => vit(size === 'b' ? 'base' : 'large', patch, '224')],
  // The two smaller ViTs are of DeiT's shapes.
  [/^(?:deit_(?:tiny|small|base)|vit_(?:tiny|small))_patch16_224(?:\..*)?$/, ([name]) => deit(name)],
  [/^(?:tf_)?efficientnet_b([0-7])(?:_(?:aa|ap|ns))?(?:\..*)?$/, ([, size]) => `google/efficientnet-b${size}`],
  [/^convnext_(tiny|small|base|large)(?:\..*)?$/, ([, size]) => `facebook/convnext-${size}-224`],
]

function vit(size = '', patch = '', side = ''): string {
  const inHub = patch === '32' && side === '224' ? `-in21k` : ''
  return `google/vit-${size}-patch${patch}-${side}${inHub}`
}

function deit(name: string): string {
  const [, size] = name.split('_')
  return `facebook/deit-${size}-patch16-224`
}

/** Models that classify no images, around backbones whose names they bear: `models.detection.fasterrcnn_resnet50_fpn`. */
const ofOtherTasks = /\.models\.(?:detection|segmentation|video|optical_flow|quantization)\./

export function isVisionModel({ name, object }: LibraryCall): boolean {
  // A method of the model: `resnet50().to(device)`.
  if (object?.kind === 'call') return false
  const { library, name: last } = libraryName(name)
  if (library === 'timm') return last === 'create_model'
  return library === 'torchvision' && /\.models\./.test(name) && /^[a-z]\w*$/.test(last) && !ofOtherTasks.test(name)
}

export interface VisionModel {
  /** As the catalogue has it, or as the call has it. */
  readonly name: Value
  /** Other than the weights' own. */
  readonly labels: Value | undefined
}

export function visionModel(loaded: LibraryCall, evaluator: Evaluator): VisionModel | undefined {
  if (loaded.call === undefined) return undefined
  const { values } = evaluator.argumentsOf(loaded.call, loaded.site, ['0'])
  const { library, name } = libraryName(loaded.name)
  const isNamed = library === 'timm' || name === 'get_model'
  const given = isNamed ? (values.get('0') ?? values.get('model_name') ?? values.get('name')) : undefined
  const { module, from, to, remarks } = loaded
  const written: Value = given ?? { module, from, to, remarks, kind: 'text', text: name }
  const model = written.kind === 'text' ? { ...written, text: inCatalogue(written.text) } : written
  return { name: model, labels: values.get('num_classes') }
}

function inCatalogue(name: string): string {
  for (const [pattern, nameOf] of shapes) {
    const found = pattern.exec(name)
    if (found !== null) return nameOf(found)
  }
  return name
}
