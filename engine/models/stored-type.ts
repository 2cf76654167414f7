/** The floating-point type in which a checkpoint stores its weights, which counts where nothing asks for another. */
import type { CatalogueModel } from './catalogue.ts'

type Family = CatalogueModel['family']

/** Families that are published in 32 bits, or in part. */
const text = [
  'bert',
  'roberta',
  'xlm-roberta',
  'distilbert',
  'modernbert',
  't5',
  'gpt2',
  'gpt_bigcode',
  'starcoder2',
  'olmo2',
] as const
const others = ['whisper', 'vit', 'deit', 'convnext', 'resnet', 'yolo'] as const
const storedIn32Bits: ReadonlySet<Family> = new Set<Family>([...text, ...others])

/** By its family: nearly all decoders of the last years are stored in bf16, and a few in fp16. */
export function isStoredIn16Bits({ family }: CatalogueModel): boolean {
  return !storedIn32Bits.has(family)
}
