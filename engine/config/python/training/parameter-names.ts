/** Which parameters of a model a script means by the paths and the names that its library gives them. */
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { programOf } from '../../../models/forward-program.ts'
import { modulesOf } from '../../../program/modules.ts'
import type { Task } from '../../../training/choices.ts'
import { efficientnetNamings } from './efficientnet-names.ts'

/** `requires_grad` of the parameters that it selects. */
export interface Switch {
  readonly selects: Selection
  readonly trains: boolean
}

/** The parameters of a module with all below it, of some of its numbered children, or those whose names pass a test. */
export interface Selection {
  /** From the model to the module, as the script writes it: `bert`, `model.encoder`, `get_encoder()`; empty for all of it. */
  readonly path: string
  /** Which of its numbered children, of so many. */
  readonly layers?: (number: number, count: number) => boolean
  /** From each of them to the module that is meant. */
  readonly within?: string
  /** Of the names that `named_parameters()` gives there. */
  readonly holds?: (name: string) => boolean
}

/** Of numbered children one, from the end where it is negative. */
export function isChild(at: number): NonNullable<Selection['layers']> {
  return (number, count) => number === (at < 0 ? count + at : at)
}

/** Undefined for a module that the model, as the script has it, is without. */
type Naming = (module: string) => readonly string[] | undefined

/** `base_model_prefix` of transformers' classes whose modules the engine names without it. */
const bases: Readonly<Record<string, string>> = {
  bert: 'bert',
  roberta: 'roberta',
  'xlm-roberta': 'roberta',
  camembert: 'roberta',
  distilbert: 'distilbert',
  electra: 'electra',
  albert: 'albert',
  'deberta-v2': 'deberta',
  wav2vec2: 'wav2vec2',
  hubert: 'hubert',
  vit: 'vit',
  deit: 'deit',
  convnext: 'convnext',
  resnet: 'resnet',
  efficientnet: 'efficientnet',
}
/** The same with it. */
const wholeNames = /^(?:model|transformer)\./
const inBase =
  /^(?:embeddings|embeddings_project|feature_extractor|feature_projection|masked_spec_embed|encoder|transformer|layers|layernorm|embedder|stages|pooler)(?:\.|$)/

/** DebertaV2ForSequenceClassification has its pooler beside `deberta`. */
function isInBase(module: string, family: string): boolean {
  return family in bases && inBase.test(module) && !(family === 'deberta-v2' && module.startsWith('pooler'))
}

type Rename = readonly (readonly [RegExp, string])[]

/** transformers 5.18 models/{resnet,vit}, and vit as of 4.57. */
const inTransformers: Readonly<Record<string, readonly Rename[]>> = {
  resnet: [
    [
      [/^embedder\./, 'embedder.embedder.'],
      [/^(stages\.\d+\.layers\.\d+)\.(\d)/, 'encoder.$1.layer.$2'],
      [/^stages\./, 'encoder.stages.'],
      [/^classifier$/, 'classifier.1'],
    ],
  ],
  vit: [[], [[/^layers\./, 'encoder.layer.']]],
  deit: [[], [[/^layers\./, 'encoder.layer.']]],
}

/** torchvision 0.21 models/{resnet,vision_transformer}.py, timm 1.0 models/{resnet,vision_transformer,convnext}.py. */
const inVisionLibraries: Readonly<Record<string, readonly Rename[]>> = {
  resnet: [
    [
      [/^embedder\.convolution/, 'conv1'],
      [/^embedder\.normalization/, 'bn1'],
      ...[0, 1, 2, 3].map(stage => [new RegExp(`^stages\\.${stage}\\.layers\\.`), `layer${stage + 1}.`] as const),
      [/\.shortcut\.convolution/, '.downsample.0'],
      [/\.shortcut\.normalization/, '.downsample.1'],
      ...[0, 1, 2].flatMap(
        layer =>
          [
            [new RegExp(`\\.${layer}\\.convolution`), `.conv${layer + 1}`],
            [new RegExp(`\\.${layer}\\.normalization`), `.bn${layer + 1}`],
          ] as const,
      ),
      [/^classifier/, 'fc'],
    ],
  ],
  vit: [
    [
      [/^layers\.(\d+)/, 'encoder.layers.encoder_layer_$1'],
      [/^embeddings\.patch_embeddings\.projection/, 'conv_proj'],
      [/^layernorm/, 'encoder.ln'],
      [/^classifier/, 'heads.head'],
    ],
    [
      [/^layers\./, 'blocks.'],
      [/^embeddings\.patch_embeddings\.projection/, 'patch_embed.proj'],
      [/^embeddings\.cls_token/, 'cls_token'],
      [/^embeddings\.position_embeddings/, 'pos_embed'],
      [/^layernorm/, 'norm'],
      [/^classifier/, 'head'],
    ],
  ],
  convnext: [
    [
      [/^encoder\.stages\.(\d+)\.layers/, 'stages.$1.blocks'],
      [/^encoder\./, ''],
      [/^embeddings\./, 'stem.'],
      [/^classifier/, 'head.fc'],
    ],
  ],
}

const renamed = (module: string, rename: Rename) =>
  rename.reduce((name, [pattern, other]) => name.replace(pattern, other), module)

function libraryNamings({ family, config }: Pick<CatalogueModel, 'family' | 'config'>): readonly Naming[] {
  if (config.model_type === 'efficientnet') return efficientnetNamings(config)
  return (inVisionLibraries[family] ?? []).map(rename => module => [renamed(module, rename)])
}

/** T5Stack and BartEncoder hold the table of words too. */
const sharedTable = /^(model\.)?shared$/

/** Of a class of transformers; `isBare` without its head. */
function transformersNamings(family: string, paths: readonly string[], isBare: boolean): readonly Naming[] {
  const base = bases[family] ?? wholeNames.exec(paths[0] ?? '')?.[0].slice(0, -1)
  return (inTransformers[family] ?? [[]]).map((rename): Naming => {
    const namesOf = (module: string) => {
      const named = `${isInBase(module, family) ? `${base}.` : ''}${renamed(module, rename)}`
      if (base === undefined) return [named]
      if (!named.startsWith(`${base}.`)) return isBare ? undefined : [named]
      const below = named.slice(base.length + 1)
      return isBare ? [below] : [named, `base_model.${below}`]
    }
    return module => {
      const names = namesOf(module)
      const table = sharedTable.exec(module)
      if (table === null || names === undefined) return names
      return [...names, ...['encoder', 'decoder'].map(part => `${isBare ? '' : (table[1] ?? '')}${part}.embed_tokens`)]
    }
  })
}

/** The model as a script has it. */
export interface NamedModel {
  /** One of torchvision or timm. */
  readonly isOfVisionLibrary: boolean
  /** It has no head: the script puts its own on top of it, and trains that. */
  readonly isBare: boolean
}

/**
 * Patterns of the names of all that trains once the switches have run, in their order; none where all of it trains. Undefined where a
 * switch selects nothing that is known, or nothing trains.
 */
export function trainedParameters(
  { family, config }: CatalogueModel,
  task: Task,
  switches: readonly Switch[],
  { isOfVisionLibrary, isBare }: NamedModel,
): readonly string[] | undefined {
  const { paths, shared } = modulesOf(programOf(config, { task, step: 'training', labels: 2, sequenceLength: 16 }))
  const namings = isOfVisionLibrary ? libraryNamings({ family, config }) : transformersNamings(family, paths, isBare)
  const named = namings.map(naming =>
    paths.flatMap(path => {
      const names = naming(path)
      return names === undefined ? [] : [{ path, names: [...names, ...(shared.get(path) ?? [])] }]
    }),
  )
  const frozen = new Set<string>()
  for (const { selects, trains } of switches) {
    const found = selected(selects, named)
    if (found === undefined) return undefined
    for (const path of found) {
      if (trains) frozen.delete(path)
      else frozen.add(path)
    }
  }
  if (frozen.size === 0 || frozen.size === paths.length) return frozen.size === 0 ? [] : undefined
  return highestOf(paths, frozen).map(path => `${isInBase(path, family) ? '.*' : ''}${path.replaceAll('.', '\\.')}\\.`)
}

interface NamedModule {
  /** The engine's. */
  readonly path: string
  readonly names: readonly string[]
}

/** By whichever release or library names them so; undefined where none does, or two differ. */
function selected(selects: Selection, namings: readonly (readonly NamedModule[])[]): readonly string[] | undefined {
  const found = new Map<string, readonly string[]>()
  for (const named of namings) {
    const chosen = selectedIn(selects, named)
    if (chosen !== undefined && chosen.length > 0) found.set(chosen.join(), chosen)
  }
  const [only, ...others] = found.values()
  return others.length === 0 ? only : undefined
}

/** Undefined where a test tells weights from biases, and empty where it tells nothing apart. */
function selectedIn(
  { path, layers, within = '', holds }: Selection,
  named: readonly NamedModule[],
): readonly string[] | undefined {
  const starts = startsOf(path)
  const inside = named.flatMap(({ path: module, names }) => {
    const [below] = names.flatMap(name => starts.flatMap(start => restOf(name, start) ?? []))
    return below === undefined ? [] : [{ module, below }]
  })
  const meant = layers === undefined ? inside : numbered(inside, layers, within)
  if (holds === undefined) return meant.map(({ module }) => module)
  const told = meant.map(({ module, below }) => {
    const [weight, bias] = ['weight', 'bias'].map(each => holds(below === '' ? each : `${below}.${each}`))
    return { module, isChosen: weight === bias ? weight : undefined }
  })
  if (told.some(({ isChosen }) => isChosen === undefined)) return undefined
  const chosen = told.filter(({ isChosen }) => isChosen).map(({ module }) => module)
  return chosen.length === named.length ? [] : chosen
}

interface Inside {
  readonly module: string
  /** Its path from the part that is meant. */
  readonly below: string
}

function numbered(
  inside: readonly Inside[],
  layers: NonNullable<Selection['layers']>,
  within: string,
): readonly Inside[] {
  const children = inside.flatMap(({ module, below }) => {
    const [, number, rest = ''] = /^(\d+)(?:\.(.*))?$/.exec(below) ?? []
    return number === undefined ? [] : [{ module, number: Number(number), rest }]
  })
  const count = Math.max(0, ...children.map(({ number }) => number + 1))
  return children.flatMap(({ module, number, rest }) => {
    const below = layers(number, count) ? restOf(rest, within) : undefined
    return below === undefined ? [] : [{ module, below }]
  })
}

function startsOf(path: string): readonly string[] {
  const [, method, rest = ''] = /^get_(encoder|decoder)\(\)(\..*)?$/.exec(path) ?? []
  return method === undefined ? [path] : [`${method}${rest}`, `model.${method}${rest}`]
}

/** What follows a path in a name that it begins. */
function restOf(name: string, path: string): string | undefined {
  if (path === '') return name
  if (name === path) return ''
  return name.startsWith(`${path}.`) ? name.slice(path.length + 1) : undefined
}

/** The highest modules all of whose weights train. */
function highestOf(paths: readonly string[], frozen: ReadonlySet<string>): readonly string[] {
  const hasFrozen = new Set([...frozen].flatMap(prefixesOf))
  const highest = paths
    .filter(path => !frozen.has(path))
    .map(path => prefixesOf(path).find(each => !hasFrozen.has(each)) ?? path)
  return [...new Set(highest)]
}

/** `a`, `a.b` and `a.b.c` of `a.b.c`. */
function prefixesOf(path: string): readonly string[] {
  const parts = path.split('.')
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'))
}
