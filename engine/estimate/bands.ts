/** Written by `npm run bench:published -- --write`: where further readings of real GPUs are expected, in percent of the estimate. */
export const readBands = {
  'adapters on one GPU': { lowPercent: -7, highPercent: 10, readings: 39 },
  'adapters on one GPU, in part untraced': { lowPercent: -7, highPercent: 10, readings: 40 },
  'full training on one GPU': { lowPercent: -3, highPercent: 6, readings: 25 },
  'full training on one GPU, in part untraced': { lowPercent: -4, highPercent: 6, readings: 9 },
  'offloading to the host': { lowPercent: 0, highPercent: 0, readings: 1 },
  'several GPUs': { lowPercent: -9, highPercent: 15, readings: 31 },
  'several GPUs, in part untraced': { lowPercent: -9, highPercent: 15, readings: 12 },
} as const
