/** 1, 2, 4, … up to `most`, itself included where it is one; none below 1. */
export function powersOfTwo(most: number): number[] {
  return Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, exponent) => 2 ** exponent)
}
