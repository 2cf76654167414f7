/** Names that are more than one card: what fits on one of them need not fit on the other. */
import { gpuKey } from './catalogue.ts'

const byKey: ReadonlyMap<string, string> = new Map([
  ['a100', 'the A100 with 40 GB (gpu: a100-40gb) or the one with 80 GB (gpu: a100-80gb)'],
  ['v100', 'the V100 with 16 GB (gpu: v100-16gb) or the one with 32 GB (gpu: v100-32gb)'],
  ...['h100', 'h10080gb'].map(
    key => [key, 'the H100 SXM (gpu: h100), the H100 PCIe (gpu: h100-pcie) or the H100 NVL'] as const,
  ),
  ...['3060', 'rtx3060'].map(key => [key, 'the RTX 3060 with 12 GB (gpu: rtx-3060) or the one with 8 GB'] as const),
])

/** Which cards a name leaves open, in words; undefined for all others. */
export function cardsThatMayBe(name: string): string | undefined {
  return byKey.get(gpuKey(name))
}
