/** Written by `npm run bench:published -- --write`: where published readings of real GPUs lie, in percent of the estimate. */
export const readBands = {
  'adapters on one GPU': { lowPercent: -4, highPercent: 3, readings: 4 },
  'adapters on one GPU, in part untraced': { lowPercent: -11, highPercent: 13, readings: 23 },
  'full training on one GPU': { lowPercent: -3, highPercent: 4, readings: 3 },
  'full training on one GPU, in part untraced': { lowPercent: -4, highPercent: 5, readings: 9 },
  'offloading to the host': { lowPercent: -3, highPercent: 80, readings: 1 },
  'several GPUs': { lowPercent: -5, highPercent: 3, readings: 5 },
  'several GPUs, in part untraced': { lowPercent: -9, highPercent: 3, readings: 12 },
} as const
