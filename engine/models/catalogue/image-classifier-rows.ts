import type { ModelRow } from './model-row.ts'

const basicBlocks = { layer_type: 'basic', hidden_sizes: [64, 128, 256, 512] }
const deep = { depths: [3, 3, 27, 3] }
const tiny = { hidden_size: 192, num_attention_heads: 3, intermediate_size: 768 }
const small = { hidden_size: 384, num_attention_heads: 6, intermediate_size: 1_536 }
const large = { hidden_size: 1_024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4_096 }

function row(ids: readonly string[], model_type: string, differences: Record<string, unknown> = {}): ModelRow {
  return { ids, config: { model_type, ...differences } }
}

/** Image classifiers: what differs from transformers' defaults, as each repository's config.json states it. */
export const imageClassifierRows: readonly ModelRow[] = [
  row(['microsoft/resnet-18'], 'resnet', { ...basicBlocks, depths: [2, 2, 2, 2] }),
  row(['microsoft/resnet-34'], 'resnet', { ...basicBlocks, depths: [3, 4, 6, 3] }),
  row(['microsoft/resnet-50'], 'resnet'),
  row(['microsoft/resnet-101'], 'resnet', { depths: [3, 4, 23, 3] }),
  row(['microsoft/resnet-152'], 'resnet', { depths: [3, 8, 36, 3] }),
  // Only the distilled DeiTs have the token that makes a DeiT; the others are published as ViTs.
  row(['google/vit-base-patch16-224', 'google/vit-base-patch16-224-in21k', 'facebook/deit-base-patch16-224'], 'vit'),
  row(['google/vit-base-patch16-384'], 'vit', { image_size: 384 }),
  row(['google/vit-base-patch32-224-in21k'], 'vit', { patch_size: 32 }),
  row(['google/vit-base-patch32-384'], 'vit', { patch_size: 32, image_size: 384 }),
  row(['google/vit-large-patch16-224', 'google/vit-large-patch16-224-in21k'], 'vit', large),
  row(['google/vit-large-patch16-384'], 'vit', { ...large, image_size: 384 }),
  row(['google/vit-large-patch32-384'], 'vit', { ...large, patch_size: 32, image_size: 384 }),
  row(['facebook/deit-tiny-patch16-224'], 'vit', tiny),
  row(['facebook/deit-small-patch16-224'], 'vit', small),
  row(['facebook/deit-tiny-distilled-patch16-224'], 'deit', tiny),
  row(['facebook/deit-small-distilled-patch16-224'], 'deit', small),
  row(['facebook/deit-base-distilled-patch16-224'], 'deit'),
  row(['facebook/convnext-tiny-224'], 'convnext'),
  row(['facebook/convnext-small-224'], 'convnext', deep),
  row(
    ['facebook/convnext-base-224', 'facebook/convnext-base-224-22k', 'facebook/convnext-base-224-22k-1k'],
    'convnext',
    {
      ...deep,
      hidden_sizes: [128, 256, 512, 1_024],
    },
  ),
  row(['facebook/convnext-large-224', 'facebook/convnext-large-224-22k-1k'], 'convnext', {
    ...deep,
    hidden_sizes: [192, 384, 768, 1_536],
  }),
]
