/** The floating-point type in which a checkpoint stores its weights, which counts where nothing asks for another. */
import { familyOf } from './architecture.ts'
import type { CatalogueModel } from './catalogue.ts'

/** By its config.json, or else its family: nearly all decoders of the last years are stored in bf16, and a few in fp16. */
export function isStoredIn16Bits({ config, isStoredIn16Bits: isSaid }: CatalogueModel): boolean {
  const { kind, isStoredIn32Bits = false } = familyOf(config)
  return isSaid ?? (kind(config) === 'decoder' && !isStoredIn32Bits)
}

/** What a config.json says: `dtype`, or `torch_dtype` before transformers 5. Undefined where it says nothing known. */
export function saidIn16Bits({ dtype, torch_dtype: earlier }: Readonly<Record<string, unknown>>): boolean | undefined {
  const said = dtype ?? earlier
  if (said === 'float32') return false
  return said === 'bfloat16' || said === 'float16' ? true : undefined
}

/** Weights that are stored for MLX, which transformers does not load, judging by their name. */
export function isStoredForMlx(name: string): boolean {
  return /(?:^|[-_/])mlx(?:[-_/]|$)/i.test(name)
}
