/** torchtune's models with an encoder fused into the decoder: torchtune/models/llama3_2_vision, modules/model_fusion. */
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { TrainedPart, TrainingSpec } from '../../../training/spec.ts'
import type { Choices, FieldReader } from '../../fields/fields.ts'
import type { Section } from '../../text/section.ts'

type Part = 'decoder' | 'encoder' | 'fusion'
type MllamaConfig = Extract<CatalogueModel['config'], { model_type: 'mllama' }>

/** The maximum number of tiles that the image transform cuts one image into. */
const MAX_TILES = 4
/** Of a tile's side, in pixels, where the builder is not told. */
const TILE_SIDE = 560
/** That one pattern names. */
const MAX_LAYERS = 40

const trainsByName: Choices<boolean> = new Map([
  ['frozen', false],
  ['lora', true],
])

/** `isFull`: whether the parts are fully trained rather than through adapters. */
export function readFusion(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  { isFull, checkpoints }: { isFull: boolean; checkpoints: boolean },
): Pick<TrainingSpec, 'images' | 'trainable'> {
  if (model?.config.model_type !== 'mllama') return {}
  refuseOtherTiles(reader, document)
  const trains = (part: Part) => {
    const field = document.at('model', `${part}_trainable`)
    if (field === undefined) return part !== 'decoder'
    return (isFull ? reader.flag(field) : reader.choice(field, trainsByName)) ?? false
  }
  const parts = (['decoder', 'encoder', 'fusion'] as const).filter(trains)
  const images = readImages(reader, document, parts.includes('decoder'))
  const names = parts.flatMap(part => namesOf(part, model.config as MllamaConfig))
  // The words of images train with the layers that fuse, and all words come out of both tables in one tensor.
  const inputGradients = checkpoints || (isFull && parts.includes('fusion'))
  const trainable: TrainedPart = { names, inputGradients }
  return {
    ...images,
    ...(parts.length < 3 && {
      trainable: reader.note('trainable', trainable, 'decoder, encoder and fusion_trainable'),
    }),
  }
}

function refuseOtherTiles(reader: FieldReader, document: Section): void {
  const field = document.at('model', 'image_size')
  const side = field && reader.wholeNumber(field, { max: 100_000 })
  if (field === undefined || side === undefined || side === TILE_SIDE) return
  const message = `Image tiles of ${side} pixels are not modelled yet`
  reader.refuse(field, 'unsupported-setting', message, `Use image_size: ${TILE_SIDE}, as the instruct models do.`)
}

function readImages(reader: FieldReader, document: Section, trainsDecoder: boolean): Pick<TrainingSpec, 'images'> {
  const dataset = document.at('dataset', '_component_')
  const isText = dataset?.value.kind === 'text' && /^torchtune\.datasets\.(?!multimodal\.)/.test(dataset.value.text)
  if (isText && trainsDecoder) return {}
  if (isText) {
    reader.assume(
      'The dataset is text only, which reaches no trainable layer, so one image per sample is counted as well.',
    )
  }
  // recipes/*: set_activation_checkpointing(model, auto_wrap_policy={modules.TransformerSelfAttentionLayer})
  return { images: { tiles: MAX_TILES, checkpointed: 'self-attention' } }
}

/** Patterns of the parameters' names in transformers. */
function namesOf(part: Part, { text_config: text }: MllamaConfig): readonly string[] {
  const layers = Array.from({ length: text.num_hidden_layers }, (_, index) => index)
  const layersThat = (fuse: boolean) =>
    chunks(layers.filter(index => text.cross_attention_layers.includes(index) === fuse)).map(
      indices => String.raw`model\.language_model\.layers\.(${indices.join('|')})\.`,
    )
  switch (part) {
    case 'decoder':
      return [...layersThat(false), String.raw`model\.language_model\.(embed_tokens|norm)`, 'lm_head']
    case 'encoder':
      return ['patch|class|gated|pre_tile|post_tile', 'layernorm|transformer'].map(
        names => String.raw`model\.vision_model\.(${names})`,
      )
    case 'fusion':
      return [...layersThat(true), String.raw`model\.vision_model\.global`, String.raw`model\.multi_modal_projector`]
  }
}

function chunks(indices: readonly number[]): readonly (readonly number[])[] {
  const starts = Array.from({ length: Math.ceil(indices.length / MAX_LAYERS) }, (_, chunk) => chunk * MAX_LAYERS)
  return starts.map(start => indices.slice(start, start + MAX_LAYERS))
}
