/** The floating-point type in which a checkpoint stores its weights, which counts where nothing asks for another. */
import { familyOf } from './architecture.ts'
import { type CatalogueModel, type StoredType, storedTypes } from './catalogue.ts'

/** By its config.json, or else its family: nearly all decoders of the last years are stored in bf16, and a few in fp16. */
export function storedTypeOf({ config, storedType: said }: CatalogueModel): StoredType {
  const { kind, isStoredIn32Bits = false } = familyOf(config)
  return said ?? (kind(config) === 'decoder' && !isStoredIn32Bits ? 'bfloat16' : 'float32')
}

/** What a config.json says: `dtype`, or `torch_dtype` before transformers 5. Undefined where it says nothing known. */
export function saidType({ dtype, torch_dtype: earlier }: Readonly<Record<string, unknown>>): StoredType | undefined {
  return storedTypes.find(type => type === (dtype ?? earlier))
}

/** Weights that are stored for MLX, which transformers does not load, judging by their name. */
export function isStoredForMlx(name: string): boolean {
  return /(?:^|[-_/])mlx(?:[-_/]|$)/i.test(name)
}
