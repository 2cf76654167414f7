/** InternVL 3 and 3.5 in transformers' format: InternViT in front of Qwen. transformers: models/internvl. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { type ImageOfSample, towerAndProjector } from '../images.ts'
import { gatedAnd } from '../linears.ts'
import type { SizeInPixels } from '../vision/image-scaling.ts'
import { tilesOfClosestShape } from '../vision/image-scaling.ts'
import { internVit, internVitConfig, internVitGrid } from '../vision/intern-vit.ts'
import type { Blueprint, Images } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { qwen2, qwen2Config, qwen3, qwen3Config } from './qwen.ts'
import { qwen3Moe, qwen3MoeConfig } from './qwen-moe.ts'

const internvlConfig = z.object({
  model_type: z.literal('internvl'),
  tie_word_embeddings: z.boolean().default(true),
  text_config: z.discriminatedUnion('model_type', [qwen2Config, qwen3Config, qwen3MoeConfig]),
  vision_config: internVitConfig,
  downsample_ratio: z.number().min(0.01).max(1).default(0.5),
})

type InternvlConfig = z.infer<typeof internvlConfig>

export function internvl(config: InternvlConfig): Blueprint {
  return {
    ...textOf(config.text_config),
    isTied: config.tie_word_embeddings,
    root: 'model.language_model',
    vision: (ops, images) => ({ among: seenByTower(ops, config, images) }),
  }
}

function seenByTower(ops: Builder, config: InternvlConfig, images: Images): Value {
  const { hidden_size: hidden } = config.text_config
  const projector = 'model.multi_modal_projector'
  const seen = internVit(ops, 'model.vision_tower', config.vision_config, images)
  // Pixel shuffle: rows of a square are brought together, then its columns, which copies once more.
  const squares = ops.inRows(ops.gathered(seen), images.tiles * wordsOfTile(config))
  return ops.frame(squares, input => {
    const widened = ops.gelu(
      ops.linear(`${projector}.linear_1`, ops.layerNorm(`${projector}.layer_norm`, input), hidden),
    )
    return ops.linear(`${projector}.linear_2`, widened, hidden)
  })
}

function wordsOfTile({ vision_config: vision, downsample_ratio: ratio }: InternvlConfig): number {
  const { rows, columns } = internVitGrid(vision)
  return (rows * columns) / Math.floor(1 / ratio) ** 2
}

/** GotOcr2ImageProcessor, which InternVLProcessor has cut images: at most so many tiles, and the whole image in one more. */
const MOST_TILES = 12

function imageOf(config: InternvlConfig, image: SizeInPixels, { cuts = true } = {}): ImageOfSample {
  const [height, width] = config.vision_config.image_size
  const cut = cuts ? tilesOfClosestShape(image, { height, width }, MOST_TILES) : 1
  const tiles = cut > 1 ? cut + 1 : 1
  return { images: { tiles, height, width, checkpointed: 'decoder' }, tokens: tiles * wordsOfTile(config) }
}

function textOf(text: InternvlConfig['text_config']): Blueprint {
  switch (text.model_type) {
    case 'qwen2':
      return qwen2(text)
    case 'qwen3':
      return qwen3(text)
    case 'qwen3_moe':
      return qwen3Moe(text)
  }
}

export const internvlFamily = decoder(internvlConfig, internvl, {
  linears: () => gatedAnd('projection_layer', 'fc1', 'fc2', 'linear_1', 'linear_2'),
  imageOf,
  parts: towerAndProjector,
})
