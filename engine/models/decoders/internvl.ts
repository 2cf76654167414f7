/** InternVL 3 and 3.5 in transformers' format: InternViT in front of Qwen. transformers: models/internvl. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { internVit, internVitConfig } from '../vision/intern-vit.ts'
import { idleLinear } from '../vision/towers.ts'
import type { Blueprint } from './blueprint.ts'
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

export function internvl({ text_config: text, ...config }: z.infer<typeof internvlConfig>): Blueprint {
  const merged = config.vision_config.hidden_size * Math.floor(1 / config.downsample_ratio) ** 2
  return {
    ...textOf(text),
    isTied: config.tie_word_embeddings,
    root: 'model.language_model',
    idle: ops => {
      const projector = 'model.multi_modal_projector'
      internVit(ops, 'model.vision_tower', config.vision_config)
      ops.idle(merged, x => ops.layerNorm(`${projector}.layer_norm`, x))
      idleLinear(ops, `${projector}.linear_1`, merged, text.hidden_size, true)
      idleLinear(ops, `${projector}.linear_2`, text.hidden_size, text.hidden_size, true)
    },
  }
}

function textOf(text: z.infer<typeof internvlConfig>['text_config']): Blueprint {
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
})
