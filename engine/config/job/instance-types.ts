/**
 * Machines of clouds by their type: which card, and how many. SageMaker writes `ml.` before AWS's types. Cards by their id in the
 * catalogue, or by a name that it lacks. The vendors' pages; some rows were seen only in repositories that cite them:
 *
 * - AWS: docs.aws.amazon.com/batch/latest/userguide/gpu-jobs.html (g4dn, g5, g6), and "accelerated computing instances" in
 *   docs.aws.amazon.com/AWSEC2/latest/UserGuide (p3 to p5en, g6e, g4dn.metal).
 * - Azure: learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated, the pages ndv2 (8 V100 of 32 GB), ncv3 (16 GB),
 *   ndasra100v4 (8 A100 of 40 GB), ndma100v4 and nca100v4 (80 GB, the latter on PCIe), ndh100v5, ncadsh100v5 (H100 NVL of 94 GB),
 *   nd-h200-v5, ncast4v3, nvadsa10v5 (whose smaller sizes hold a part of a card).
 * - Google: docs.cloud.google.com/compute/docs/accelerator-optimized-machines and compute/docs/gpus.
 */

export interface Machine {
  readonly card: string
  readonly count: number
}

/** `p3dn.24xlarge`: family, then sizes with their number of cards. */
const types: readonly (readonly [card: string, counts: Readonly<Record<string, number>>])[] = [
  ['v100-16gb', { 'p3.2xlarge': 1, 'p3.8xlarge': 4, 'p3.16xlarge': 8 }],
  ['v100-32gb', { 'p3dn.24xlarge': 8, standard_nd40rs_v2: 8 }],
  ['a100-40gb', { 'p4d.24xlarge': 8, standard_nd96asr_v4: 8 }],
  ['a100-80gb', { 'p4de.24xlarge': 8, standard_nd96amsr_a100_v4: 8 }],
  ['h100', { 'p5.4xlarge': 1, 'p5.48xlarge': 8, standard_nd96isr_h100_v5: 8 }],
  ['h200', { 'p5e.48xlarge': 8, 'p5en.48xlarge': 8, standard_nd96isr_h200_v5: 8 }],
  ['t4', { ...sized('g4dn', 1, ['', 2, 4, 8, 16]), 'g4dn.12xlarge': 4, 'g4dn.metal': 8 }],
  ['a10g', { ...sized('g5', 1, ['', 2, 4, 8, 16]), 'g5.12xlarge': 4, 'g5.24xlarge': 4, 'g5.48xlarge': 8 }],
  ['l4', { ...sized('g6', 1, ['', 2, 4, 8, 16]), 'g6.12xlarge': 4, 'g6.24xlarge': 4, 'g6.48xlarge': 8 }],
  ['l40s', { ...sized('g6e', 1, ['', 2, 4, 8, 16]), 'g6e.12xlarge': 4, 'g6e.24xlarge': 4, 'g6e.48xlarge': 8 }],
  ['t4', { standard_nc4as_t4_v3: 1, standard_nc8as_t4_v3: 1, standard_nc16as_t4_v3: 1, standard_nc64as_t4_v3: 4 }],
  ['v100-16gb', { standard_nc6s_v3: 1, standard_nc12s_v3: 2, standard_nc24s_v3: 4, standard_nc24rs_v3: 4 }],
  ['a100-80gb', { standard_nc24ads_a100_v4: 1, standard_nc48ads_a100_v4: 2, standard_nc96ads_a100_v4: 4 }],
  ['h100-nvl', { standard_nc40ads_h100_v5: 1, standard_nc80adis_h100_v5: 2 }],
  ['a10', { standard_nv36ads_a10_v5: 1, standard_nv72ads_a10_v5: 2 }],
  [
    'a100-40gb',
    { 'a2-highgpu-1g': 1, 'a2-highgpu-2g': 2, 'a2-highgpu-4g': 4, 'a2-highgpu-8g': 8, 'a2-megagpu-16g': 16 },
  ],
  ['a100-80gb', { 'a2-ultragpu-1g': 1, 'a2-ultragpu-2g': 2, 'a2-ultragpu-4g': 4, 'a2-ultragpu-8g': 8 }],
  ['h100', { 'a3-highgpu-1g': 1, 'a3-highgpu-2g': 2, 'a3-highgpu-4g': 4, 'a3-highgpu-8g': 8, 'a3-megagpu-8g': 8 }],
  ['h200', { 'a3-ultragpu-8g': 8 }],
  ['l4', { 'g2-standard-4': 1, 'g2-standard-8': 1, 'g2-standard-12': 1, 'g2-standard-16': 1, 'g2-standard-32': 1 }],
  ['l4', { 'g2-standard-24': 2, 'g2-standard-48': 4, 'g2-standard-96': 8 }],
]

const machines: ReadonlyMap<string, Machine> = new Map(
  types.flatMap(([card, counts]) => Object.entries(counts).map(([type, count]) => [type, { card, count }] as const)),
)

/** Undefined for a machine without GPUs, and for one that is not known here. */
export function machineOf(type: string): Machine | undefined {
  return machines.get(type.trim().toLowerCase().replace(/^ml\./, ''))
}

function sized(family: string, count: number, sizes: readonly (number | '')[]): Readonly<Record<string, number>> {
  return Object.fromEntries(sizes.map(size => [`${family}.${size}xlarge`, count]))
}

/**
 * GKE's accelerators, each of which one card only goes by (cloud.google.com/compute/docs/gpus names the type of every card;
 * its V100 has 16 GB, its nvidia-tesla-a100 is A2 Standard's with 40 GB).
 */
const accelerators: ReadonlyMap<string, string> = new Map([
  ['nvidia-tesla-t4', 't4'],
  ['nvidia-l4', 'l4'],
  ['nvidia-tesla-v100', 'v100-16gb'],
  ['nvidia-tesla-a100', 'a100-40gb'],
  ['nvidia-a100-80gb', 'a100-80gb'],
  ['nvidia-h100-80gb', 'h100'],
  ['nvidia-h100-mega-80gb', 'h100'],
  ['nvidia-h200-141gb', 'h200'],
  ['nvidia-b200', 'b200'],
])

/** By its id in the catalogue; undefined for a name that is no accelerator's. */
export function acceleratorCard(name: string): string | undefined {
  return accelerators.get(name.trim().toLowerCase())
}
