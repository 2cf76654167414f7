/** Field types of a model's config.json, under the names that transformers gives them. */
import * as z from 'zod'

export const size = z.number().int().min(1).max(10_000_000)
export const probability = z.number().min(0).max(1)
