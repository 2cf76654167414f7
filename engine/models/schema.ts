/** Field types of a model's config.json, under the names that transformers gives them, with a bound for every figure. */
import * as z from 'zod'

/** The largest published models have some 130 layers. The time and memory of an estimate grow with them. */
export const MAX_LAYERS = 256
/** Widths, heads, vocabularies and positions: Llama 4 takes 10,485,760 positions. */
const MAX_SIZE = 16_777_216
const MAX_EXPERTS = 4_096

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number) {
  return z
    .number()
    .int()
    .min(min, { error: ({ input }) => `${input} is less than ${count(min)}` })
    .max(max, { error: ({ input }) => `${input} is more than ${count(max)}, the largest that is read` })
}

/** A width, a number of heads, words or positions. */
export const size = wholeNumber(1, MAX_SIZE)
export const probability = z.number().min(0).max(1)
/** Layers of a stack. */
export const layerCount = wholeNumber(1, MAX_LAYERS)
/** Some of a stack's layers, or none. */
export const someLayers = wholeNumber(0, MAX_LAYERS)
export const expertCount = wholeNumber(1, MAX_EXPERTS)

/** One item for each layer, or for some of them. */
export function layerList<T extends z.ZodType>(item: T) {
  return z.array(item).max(MAX_LAYERS, { error: () => `more than ${count(MAX_LAYERS)} items, the most that are read` })
}

/** Layers of a network's stages, bounded together as those of one stack are. */
export const stageDepths = z
  .array(layerCount)
  .min(1)
  .max(20)
  .refine(depths => depths.reduce((sum, depth) => sum + depth, 0) <= MAX_LAYERS, {
    error: () => `more than ${count(MAX_LAYERS)} layers together, the most that are read`,
  })

function count(number: number): string {
  return number.toLocaleString('en-US')
}
