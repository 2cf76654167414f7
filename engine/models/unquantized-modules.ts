/** Modules that a quantised checkpoint holds in 16 bits, as its config.json names them. */
import { isVisionLanguageModel, type ModelConfig } from './architecture.ts'

/** Of bitsandbytes and AWQ, transformers 5.18 utils/quantization_config.py. */
const listOf: Readonly<Record<string, string>> = {
  bitsandbytes: 'llm_int8_skip_modules',
  awq: 'modules_to_not_convert',
}

/**
 * By paths as transformers 5 has them; undefined where its weights are not quantised. Checkpoints from before transformers 4.52 call
 * a decoder beside a tower `language_model.model`, or `model`.
 */
export function unquantizedIn(
  fields: Readonly<Record<string, unknown>>,
  config: ModelConfig,
): readonly string[] | undefined {
  const { quantization_config: quantization } = fields
  if (typeof quantization !== 'object' || quantization === null) return undefined
  const settings = Object.fromEntries(Object.entries(quantization))
  const { quant_method: method = 'bitsandbytes' } = settings
  const key = typeof method === 'string' && Object.hasOwn(listOf, method) ? listOf[method] : undefined
  const names = key === undefined ? undefined : (settings[key] ?? [])
  if (!Array.isArray(names)) return undefined
  const decoder = isVisionLanguageModel(config) ? 'model.language_model.layers.' : 'model.layers.'
  return names
    .filter(name => typeof name === 'string')
    .map(name =>
      name
        .replace(/^(?:model\.)?(?:language_model\.)?(?:model\.)?layers\./, decoder)
        .replace(/(?<=^|\.)vision_tower\.vision_model\./, 'vision_tower.'),
    )
}
