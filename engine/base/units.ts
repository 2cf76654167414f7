/** Sizes and money as text. Memory is always in GiB (2^30 bytes), never GB. */

export const KIB = 2 ** 10
export const MIB = 2 ** 20
export const GIB = 2 ** 30

/** Bytes as `9.95 GiB`: two decimals below 10 GiB, one above, so that a figure never claims more than we know. */
export function formatGib(bytes: number): string {
  const gib = bytes / GIB
  return `${gib.toFixed(Math.abs(gib) < 10 ? 2 : 1)} GiB`
}

/** Bytes of little things as `9.95 MiB`, or as GiB from one on. */
export function formatMib(bytes: number): string {
  if (bytes >= GIB) return formatGib(bytes)
  const mib = bytes / MIB
  return `${mib < 0.01 ? mib.toPrecision(1) : mib.toFixed(mib < 10 ? 2 : 1)} MiB`
}

export function formatPercent(fraction: number): string {
  return `${Math.round(fraction * 100)} %`
}

/** Dollars, with cents below 100 and whole above. */
export function formatUsd(usd: number): string {
  const digits = Math.abs(usd) < 100 ? 2 : 0
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`
}

export function formatRate(samplesPerSecond: number): string {
  return samplesPerSecond < 10 ? samplesPerSecond.toPrecision(2) : Math.round(samplesPerSecond).toLocaleString('en-US')
}
