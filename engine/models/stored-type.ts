/** The floating-point type in which a checkpoint stores its weights, which counts where nothing asks for another. */
import type { CatalogueModel } from './catalogue.ts'

/** Families of text and images that are published in 32 bits, or now in 32 and now in 16. */
const storedIn32Bits: ReadonlySet<string> = new Set([
  ...['bert', 'roberta', 'xlm-roberta', 'distilbert', 'modernbert', 't5'],
  ...['gpt2', 'gpt_neo', 'gptj', 'gpt_bigcode', 'starcoder2'],
  ...['vit', 'deit', 'convnext', 'resnet', 'yolo'],
])

/** By its family: nearly all decoders of the last years are stored in bf16, and a few in fp16. */
export function isStoredIn16Bits({ family }: CatalogueModel): boolean {
  return !storedIn32Bits.has(family)
}
