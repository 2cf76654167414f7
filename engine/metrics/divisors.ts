/** The micro-batches that divide a step's samples. */

/** Ascending. At most √n steps, and n ≤ 10^12 by the spec's caps. */
export function divisors(n: number): number[] {
  const small: number[] = []
  for (let candidate = 1; candidate * candidate <= n; candidate++) if (n % candidate === 0) small.push(candidate)
  const large = small.map(divisor => n / divisor).filter(divisor => divisor * divisor !== n)
  return [...small, ...large.toReversed()]
}
