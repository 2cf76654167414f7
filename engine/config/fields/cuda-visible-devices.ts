/** The GPUs that CUDA shows to a training, by the variable that names them. */
export const VISIBLE_GPUS = 'CUDA_VISIBLE_DEVICES'

/** How many a value of the variable names; undefined where that cannot be told. `""` and `-1` hide all of them. */
export function namedGpus(text: string): number | undefined {
  const named = text.trim()
  if (named === '' || named === '-1') return 0
  return /^\d+(?:, ?\d+)*$/.test(named) ? named.split(',').length : undefined
}
