/** Well-known models whose architecture the engine cannot run yet, by the `model_type` of their config.json. */
export const unsupportedModels: Readonly<Record<string, readonly string[]>> = {
  dbrx: ['databricks/dbrx-base', 'databricks/dbrx-instruct', 'LnL-AI/dbrx-base-converted-v2'],
  mamba: ['state-spaces/mamba-2.8b'],
  mpt: ['mosaicml/mpt-7b', 'mosaicml/mpt-7b-instruct', 'mosaicml/mpt-30b'],
}

/** The `model_type` of a well-known model that cannot be run; case does not matter. */
export function unsupportedArchitectureOf(id: string): string | undefined {
  const key = id.toLowerCase()
  const entries = Object.entries(unsupportedModels)
  return entries.find(([, ids]) => ids.some(known => known.toLowerCase() === key))?.[0]
}
