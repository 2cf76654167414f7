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

/** By its config.json, or else its family: nearly all decoders of the last years are stored in bf16, and a few in fp16. */
export function isStoredIn16Bits({ family, isStoredIn16Bits: isSaid }: CatalogueModel): boolean {
  return isSaid ?? !storedIn32Bits.has(family)
}

/** What a config.json says: `dtype`, or `torch_dtype` before transformers 5. Undefined where it says nothing known. */
export function saidIn16Bits({ dtype, torch_dtype: earlier }: Readonly<Record<string, unknown>>): boolean | undefined {
  const said = dtype ?? earlier
  if (said === 'float32') return false
  return said === 'bfloat16' || said === 'float16' ? true : undefined
}
