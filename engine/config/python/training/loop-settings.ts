/**
 * Memory settings of a script's own training loop besides its model: mixed precision, image size, wrappers.
 */
import { unsaidByAccelerator } from '../../dialects/huggingface/declared.ts'
import type { Field } from '../../text/section.ts'
import { expressionOf } from '../syntax/expressions.ts'
import { callExpression, type Module, type Scope } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { areEqual, type Located, placeIn, type Site, shownAt, truthOf, type Value } from '../values/values.ts'
import { fieldOf, openField, saidBy } from './fields.ts'
import { MAX_CALLS, type Reached, reachedCalls } from './reached-calls.ts'

const evaluates = /(?:^|_)(?:eval\w*|valid\w*|val|test\w*|predict\w*|infer\w*|generate\w*|sample\w*)(?:_|$)/i

/** `fp16` and `bf16`, as the Trainer's arguments name what autocast computes in. */
export function precisionFields(module: Module, evaluator: Evaluator): readonly Field[] {
  const accelerated = reachedCalls(module, 'Accelerator', evaluator).find(({ library }) => library === 'accelerate')
  if (accelerated !== undefined) return acceleratorPrecision(accelerated, module)
  const autocasts = reachedCalls(module, 'autocast', evaluator)
    .filter(
      ({ library, call }) =>
        library === 'torch' && !(call.scope.kind === 'function' && evaluates.test(call.scope.name)),
    )
    .flatMap(reached => asChosen(reached, evaluator))
  const scalers = reachedCalls(module, 'GradScaler', evaluator).filter(({ library }) => library === 'torch')
  const autocast = autocasts[0] ?? decoratingAutocast(module, evaluator)
  if (autocast === undefined) {
    const [scaler] = scalers
    if (scaler === undefined || isSwitchedOff(scaler.values.get('enabled'))) return []
    return [openField(scaler.here, 'fp16', 'gradients are scaled, but no autocast is found in the file', module)]
  }
  return autocastFields(autocast, module)
}

/** `autocast(…) if flag else nullcontext()`: nothing where it is the other, and open where only a run tells. */
function asChosen(reached: Reached, evaluator: Evaluator): readonly Reached[] {
  const { call, site } = reached
  for (let { node } = call; node.parent !== null && node.parent.name !== 'Body'; node = node.parent) {
    if (node.parent.name !== 'ConditionalExpression') continue
    const written = expressionOf(node.parent, call.module.text)
    if (written.kind !== 'conditional' || node.from === written.condition.from) continue
    const { condition, whenTrue } = written
    const isMet = truthOf(evaluator.evaluate(condition, site))
    const shown = shownAt(call.module, condition)
    // On a GPU, as it is judged.
    if (isMet === undefined && /cpu|cuda|device/i.test(shown)) continue
    if (isMet === undefined) return [{ ...reached, why: reached.why ?? shown }]
    if (isMet !== (node.from === whenTrue.from)) return []
  }
  return [reached]
}

/** `@torch.autocast("cuda")` on a function around the step, on one that the step calls, or on a model's own forward pass. */
function decoratingAutocast(module: Module, evaluator: Evaluator): Reached | undefined {
  for (const call of (module.calls.get('backward') ?? []).slice(0, MAX_CALLS)) {
    const called = [...module.functions.values()].filter(each => isCalledFrom(each, call.scope))
    for (const decorated of [...scopesAround(call.scope), ...called]) {
      const site: Site = { module, scope: decorated.parent ?? module.top, at: decorated.from, branches: [] }
      for (const decorator of decorated.decorators) {
        const callee = decorator.kind === 'call' ? evaluator.evaluate(decorator.callee, site) : undefined
        if (decorator.kind !== 'call' || callee?.kind !== 'symbol' || !/^torch\.(?:.*\.)?autocast$/.test(callee.name))
          continue
        const { values, unknown } = evaluator.argumentsOf(decorator, site)
        const here = { module, from: decorator.from, to: decorator.to, remarks: [] }
        return { call, site, library: 'torch', values, unknown, here, why: undefined }
      }
    }
  }
  return undefined
}

function scopesAround(scope: Scope): readonly Scope[] {
  return scope.parent === undefined ? [scope] : [scope, ...scopesAround(scope.parent)]
}

function isCalledFrom({ name, module }: Scope, scope: Scope): boolean {
  return name === 'forward' || (module.calls.get(name) ?? []).some(call => call.scope === scope)
}

function autocastFields({ values, here, why, unknown }: Reached, file: Module): readonly Field[] {
  const enabled = values.get('enabled') ?? [...values.values()].find(({ kind }) => kind === 'flag' || kind === 'open')
  const device = [...values.values()].find(({ kind }) => kind === 'text')
  if (device?.kind === 'text' && device.text.startsWith('cpu')) return []
  if (enabled !== undefined && isSwitchedOff(enabled))
    return [saidBy(enabled, 'fp16', { kind: 'flag', flag: false }, file, 'autocast')]
  const dtype = values.get('dtype') ?? [...values.values()].find(value => value.kind === 'symbol')
  if (unknown !== undefined) return [openField(here, 'fp16', `what is unpacked from ${unknown} may set it`, file)]
  if (why !== undefined) return [openField(here, 'fp16', `autocast depends on ${why}`, file)]
  // A device that is looked up at run time says nothing of the type.
  const isOpen = (value: Value | undefined) => value !== undefined && value.kind === 'open'
  if (isOpen(values.get('enabled')) || isOpen(values.get('dtype')))
    return [openField(here, 'fp16', `it is ${shownAt(here.module, here)}`, file)]
  const switched = { ...here, remarks: enabled?.remarks ?? [] }
  if (dtype === undefined || dtype.kind === 'none')
    return [saidBy(switched, 'fp16', { kind: 'flag', flag: true }, file, 'autocast')]
  if (dtype.kind !== 'symbol' || !/^torch\.(?:bfloat16|float16|half)$/.test(dtype.name))
    return [openField(here, 'fp16', `its type is ${shownAt(dtype.module, dtype)}`, file)]
  const key = dtype.name === 'torch.bfloat16' ? 'bf16' : 'fp16'
  return [saidBy(switched, key, { kind: 'flag', flag: true }, file, 'autocast')]
}

function acceleratorPrecision({ values, here, unknown }: Reached, file: Module): readonly Field[] {
  const mixed = values.get('mixed_precision')
  if (mixed === undefined || mixed.kind === 'none') {
    const remark = `fp32: Accelerator() (${placeIn(here.module, here.from)}) names no mixed_precision, which the launcher may.`
    if (unknown !== undefined) return [openField(here, 'fp16', `what is unpacked from ${unknown} may set it`, file)]
    return [saidBy({ ...here, remarks: [remark] }, 'fp16', { kind: 'flag', flag: false }, file, unsaidByAccelerator)]
  }
  if (mixed.kind === 'text' && /^(?:fp16|bf16)$/.test(mixed.text))
    return [saidBy(mixed, mixed.text, { kind: 'flag', flag: true }, file, 'mixed_precision')]
  // The command line may pass the word, or what YAML makes of it.
  if ((mixed.kind === 'text' && mixed.text === 'no') || isSwitchedOff(mixed))
    return [saidBy(mixed, 'fp16', { kind: 'flag', flag: false }, file, 'mixed_precision')]
  return [openField(mixed, 'fp16', mixed.kind === 'open' ? mixed.why : `it is ${shownAt(mixed.module, mixed)}`, file)]
}

function isSwitchedOff(value: Value | undefined): boolean {
  return value?.kind === 'flag' && !value.flag
}

/** Sides of the images that torchvision 0.21's data sets hold. */
const storedSides: ReadonlyMap<string, number> = new Map([
  ...['CIFAR10', 'CIFAR100', 'SVHN'].map(name => [name, 32] as const),
  ...['MNIST', 'FashionMNIST', 'KMNIST', 'EMNIST', 'QMNIST'].map(name => [name, 28] as const),
  ['STL10', 96],
])

/** The side to which images are cut or scaled, where all transforms agree, or else that of a data set's images. */
export function imageFields(module: Module, evaluator: Evaluator): readonly Field[] {
  const cut = cutFields(module, evaluator)
  if (cut.length > 0) return cut
  const sets = [...storedSides].flatMap(([name, side]) =>
    reachedCalls(module, name, evaluator)
      .filter(({ library }) => library === 'torchvision')
      .map(({ here }) => ({ here, name, side })),
  )
  const [first] = sets
  const isScaled = ['resize', 'interpolate'].some(name => module.calls.has(name))
  if (first === undefined || isScaled || sets.some(({ side }) => side !== first.side)) return []
  const { here, name, side } = first
  const remark = `Images of ${side}×${side} pixels, as ${name} has them (${placeIn(here.module, here.from)}): nothing is found that scales them.`
  return [saidBy({ ...here, remarks: [remark] }, 'image_size', { kind: 'number', number: side }, module, name)]
}

function cutFields(module: Module, evaluator: Evaluator): readonly Field[] {
  for (const names of [['RandomResizedCrop', 'RandomCrop', 'CenterCrop'], ['Resize']]) {
    const sizes = names.flatMap(name => reachedCalls(module, name, evaluator, ['size', 'second']).map(sidesOf))
    const [first, ...others] = sizes.map(([side]) => side).filter(side => side !== undefined)
    if (first === undefined) continue
    const other = sizes.flatMap(sides => sides.slice(1)).find(side => areEqual(side, first) !== true)
    if (other !== undefined) {
      const both = `images are cut to ${shownAt(first.module, first)} by ${shownAt(other.module, other)}, and only square ones are counted`
      return [openField(first, 'image_size', both, module)]
    }
    if (others.every(other => areEqual(first, other) === true)) return [fieldOf('image_size', first, module)]
    return [
      openField(
        first,
        'image_size',
        `images are cut to several sizes (${placeIn(first.module, first.from)} is one)`,
        module,
      ),
    ]
  }
  return []
}

/** Height and width: torchvision's transforms take both as one, older ones of Albumentations each by itself. */
function sidesOf({ library, values }: Reached): readonly Value[] {
  const size = values.get('size')
  if (size?.kind === 'list') return size.items
  const [height, width] = [values.get('height') ?? size, values.get('width') ?? values.get('second')]
  return [height, library === 'albumentations' ? width : undefined].filter(side => side !== undefined)
}

const wrappers: readonly (readonly [RegExp, string])[] = [
  [/^(?:FSDP|FullyShardedDataParallel|fully_shard)$/, 'FSDP'],
  [/^(?:GaLoreAdamW\w*|Muon)$/, 'the optimizer'],
  [/^(?:set_grad_checkpointing|apply_activation_checkpointing|checkpoint_wrapper)$/, 'gradient checkpointing'],
  [/^(?:AveragedModel|ModelEma\w*|ExponentialMovingAverage|EMA|deepcopy)$/, 'a copy of the weights'],
  [/^(?:FGM|PGD|AWP|FreeLB|SAM|GSAM)$/, 'adversarial training'],
  // Opacus 1.6 privacy_engine.py: a gradient of each weight for each sample.
  [/^make_private\w*$/, 'the gradient of each sample'],
  [/^(?:quantize_|prepare_qat\w*|replace_linear\w*)$/, 'quantization'],
]

/** What changes memory and is not followed into a loop: named, never passed over. */
export function notFollowed(module: Module, evaluator: Evaluator): readonly Field[] {
  const found = [...module.calls.keys()].flatMap(name => {
    const of = wrappers.find(([pattern]) => pattern.test(name))?.[1]
    const reached = of === undefined ? [] : reachedCalls(module, name, evaluator, ['of'])
    const [call] = name === 'deepcopy' ? reached.filter(copiesModel) : reached
    return call === undefined || of === undefined
      ? []
      : [saidBy(call.here, of, { kind: 'text', text: name }, module, name)]
  })
  const deepSpeed = reachedCalls(module, 'initialize', evaluator).find(({ library }) => library === 'deepspeed')
  const apex = reachedCalls(module, 'initialize', evaluator).find(({ library }) => library === 'apex')
  const checkpoint = reachedCalls(module, 'checkpoint', evaluator).find(({ library }) => library === 'torch')
  const named = (one: Reached | undefined, name: string) =>
    one === undefined ? [] : [saidBy(one.here, name, { kind: 'text', text: name }, module, name)]
  return [
    ...found,
    ...acceleratorPlugins(module, evaluator),
    ...named(deepSpeed, 'deepspeed.initialize'),
    ...named(apex, 'apex.amp.initialize'),
    ...named(checkpoint, 'checkpoint'),
  ]
}

/** Batches and settings are copied too, and weights alone. */
function copiesModel({ values }: Reached): boolean {
  const of = values.get('of')
  if (of === undefined) return false
  const written = of.module.text.slice(of.from, of.to)
  // Of its weights alone, which is told of with other copies of them.
  if (/\bstate_dict\(/.test(written)) return false
  return of.kind === 'call' || of.kind === 'instance' || holdsModel.test(written)
}

const holdsModel = /(?:^|[._])(?:model|net|network|backbone|unet|student|policy)\d?$/i

/** `model.half()` as a statement: the name keeps holding what was cast. */
export function castInPlace(module: Module, evaluator: Evaluator): readonly Field[] {
  return ['half', 'bfloat16', 'to'].flatMap(name =>
    reachedCalls(module, name, evaluator).flatMap(({ call, values, here }) => {
      const callee = callExpression(call)?.callee
      const object = callee?.kind === 'attribute' ? module.text.slice(callee.object.from, callee.object.to) : ''
      const isHalf = (value: Value) => value.kind === 'symbol' && /^torch\.(?:b?float16|half)$/.test(value.name)
      const casts = name === 'to' ? [...values.values()].some(isHalf) : values.size === 0
      if (!holdsModel.test(object) || !casts) return []
      return [saidBy(here, 'the type of weights', { kind: 'text', text: name }, module, `${name}()`)]
    }),
  )
}

export interface Divided {
  readonly by: Located
  /** A clause. */
  readonly why: string
}

/** Of each batch, a GPU has a part; how many there are, only a run tells. */
export function dividesBatch(module: Module, evaluator: Evaluator): Divided | undefined {
  const parallel = reachedCalls(module, 'DataParallel', evaluator).find(({ library }) => library === 'torch')
  if (parallel !== undefined)
    return { by: parallel.here, why: 'DataParallel divides the batch among the GPUs of the machine' }
  // accelerate 1.14 data_loader.py; an argument of Accelerator itself until 0.x.
  const split = ['Accelerator', 'DataLoaderConfiguration']
    .flatMap(name => reachedCalls(module, name, evaluator))
    .find(({ library, values }) => library === 'accelerate' && isOn(values.get('split_batches')))
  return split && { by: split.here, why: 'split_batches divides the batch among the processes' }
}

function isOn(value: Value | undefined): boolean {
  return value !== undefined && value.kind !== 'none' && !isSwitchedOff(value)
}

/** accelerate 1.14 accelerator.py: what shards, compiles or moves the training. */
const ofAccelerator = [
  ...['fsdp_plugin', 'deepspeed_plugin', 'deepspeed_plugins', 'megatron_lm_plugin', 'torch_tp_plugin'],
  ...['parallelism_config', 'dynamo_backend', 'dynamo_plugin', 'cpu'],
]

function acceleratorPlugins(module: Module, evaluator: Evaluator): readonly Field[] {
  const made = reachedCalls(module, 'Accelerator', evaluator).find(({ library }) => library === 'accelerate')
  return ofAccelerator.flatMap(name => {
    const value = made?.values.get(name)
    const isUsed = isOn(value) && !(value?.kind === 'text' && value.text.toLowerCase() === 'no')
    return value === undefined || !isUsed ? [] : [saidBy(value, name, { kind: 'text', text: name }, module, name)]
  })
}
