/** The methods for training a bare model: full fine-tuning, LoRA, or QLoRA. A config says its method itself. */
import { linearsOf } from '../models/architecture.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import { defaultLoraTargets } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'

export const methods = ['full', 'lora', 'qlora'] as const
export type Method = (typeof methods)[number]

export const methodNames: Readonly<Record<Method, string>> = {
  full: 'Full fine-tuning',
  lora: 'LoRA',
  qlora: 'QLoRA',
}

/** The QLoRA paper (Dettmers et al., 2023, section 4) adapts every linear layer. */
const RANK = 16

/** LoRA and QLoRA only if the model's linear layers are known. */
export function methodsFor(model: CatalogueModel): readonly Method[] {
  return linearsOf(model.config) === undefined ? ['full'] : methods
}

/**
 * As the Trainer runs it: full fine-tuning in bf16 autocast over 32-bit weights, or adapters over weights loaded in
 * bf16 or 4 bits.
 */
export function specWith(method: Method, spec: TrainingSpec, model: CatalogueModel): TrainingSpec {
  if (method === 'full') return spec
  const lora = spec.lora ?? {
    rank: RANK,
    targets: [...(linearsOf(model.config)?.all ?? defaultLoraTargets)],
    dropout: 0,
  }
  const precision = spec.precision === 'amp-bf16' ? 'bf16' : spec.precision
  const autocasts = precision === 'bf16' && spec.precision === 'amp-bf16' ? true : spec.autocasts
  return {
    ...spec,
    lora,
    precision,
    ...(autocasts && { autocasts }),
    ...(method === 'qlora' && { quantization: 'nf4-double' as const }),
  }
}
