/**
 * The one place of facts about GPUs: what PyTorch sees of their memory, how fast they are, what an hour costs.
 *
 * Memory is read from PyTorch's out-of-memory messages ("total capacity of 22.06 GiB"), so it is exact to ±0.005 GiB
 * unless the row says otherwise, and a driver can move it by about 0.1 GiB. Where readings differ, the row takes the
 * smaller one: a batch that does not fit costs more than a sample left out. The A10 keeps the 22.06 GiB of the card whose
 * readings the estimator is compared with; Lambda's has read 21.99 GiB (https://github.com/zai-org/CogVLM/issues/236).
 *
 * Prices are one GPU, on demand. Where a row's date is in September 2026, the provider's page was read through
 * https://github.com/tgarg01/silybench-data (derived/csv/gpu_prices.csv) or
 * https://github.com/api-evangelist/lambda-labs (plans/lambda-labs-plans-pricing.yml).
 */
import { GIB, MIB } from '../units.ts'

export interface Gpu {
  /** As configs and command lines name it, e.g. `a100-40gb`. */
  readonly id: string
  readonly name: string
  /** As `torch.cuda.get_device_properties(0).total_memory` reports it. */
  readonly totalBytes: number
  readonly totalSource: string
  /** What the CUDA context takes before the first tensor, outside PyTorch's allocator. */
  readonly contextBytes: number
  /** What PyTorch allocates for cuBLAS, once per handle and stream. */
  readonly cublasWorkspaceBytes: number
  readonly computeCapability: readonly [major: number, minor: number]
  /** Streaming multiprocessors, from the vendor's architecture white paper. */
  readonly multiprocessors: number
  readonly memoryBandwidthBytesPerSecond: number
  /** Dense FLOP/s, accumulating in fp32; a precision that the hardware lacks is absent. */
  readonly peakFlops: { readonly fp32: number; readonly tf32?: number; readonly fp16: number; readonly bf16?: number }
  /** FLOP/s that large matrix products were measured to keep up, within the card's power limit. */
  readonly productFlops: { readonly fp32: number; readonly tf32?: number; readonly half: number }
  /** Of `productFlops`; an issue or a file without an address is one of https://github.com/zzc0721/torch-performance-test-data. */
  readonly productSource: string
  /** To another GPU of the same server, one way: NVLink, or PCIe where there is none. */
  readonly linkBytesPerSecond: number
  /** To the host, one way: PCIe. */
  readonly hostLinkBytesPerSecond: number
  readonly specSource: string
  readonly pricePerHourUsd: number
  readonly priceSource: string
  /** ISO 8601 date on which that price stood; only the year where the source bears no date. */
  readonly priceDate: string
}

/** An assumption, the same for every card: a context with lazily loaded kernels, as CUDA makes it by default since 12.2. */
const CONTEXT_BYTES = 300 * MIB

const AMPERE = 8
const HOPPER = 9
const GB = 1e9
const TERA = 1e12

type Row = Omit<Gpu, 'contextBytes' | 'cublasWorkspaceBytes'>

const rows: readonly Row[] = [
  {
    id: 'a10',
    name: 'NVIDIA A10',
    totalBytes: gib(22.06),
    totalSource:
      'Out-of-memory message of PyTorch 2.14 (CUDA 13.0) on an A10; nvidia-smi says 23028 MiB: https://github.com/modal-labs/modal-client/pull/2797',
    computeCapability: [8, 6],
    multiprocessors: 72,
    memoryBandwidthBytesPerSecond: 600 * GB,
    peakFlops: { fp32: 31.2 * TERA, tf32: 62.5 * TERA, fp16: 125 * TERA, bf16: 125 * TERA },
    productFlops: { fp32: 15 * TERA, tf32: 35 * TERA, half: 70 * TERA },
    productSource:
      "Half of the data sheet's, as the 150 W that the card may draw allow: an A40, the same chip at 300 W, keeps up 110 of 150 TFLOP/s, and nanoGPT trains at 54 on an A10 (https://github.com/modula-systems/modula/pull/1)",
    linkBytesPerSecond: 32 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA A10 data sheet',
    pricePerHourUsd: 0.6,
    // https://github.com/zszazi/Deep-learning-in-cloud/pull/49
    priceSource: 'Lambda, 1x A10',
    priceDate: '2023-02-22',
  },
  {
    id: 'a100-40gb',
    name: 'NVIDIA A100 40 GB',
    totalBytes: gib(39.5),
    totalSource: 'https://github.com/TianheWu/CoSeR/issues/10',
    computeCapability: [8, 0],
    multiprocessors: 108,
    memoryBandwidthBytesPerSecond: 1_555 * GB,
    peakFlops: { fp32: 19.5 * TERA, tf32: 156 * TERA, fp16: 312 * TERA, bf16: 312 * TERA },
    productFlops: { fp32: 18.1 * TERA, tf32: 118 * TERA, half: 246 * TERA },
    productSource: "database.md, A100 40 GB; TF32 from the PCIe card's share in issue 108",
    linkBytesPerSecond: 300 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA A100 data sheet, 40 GB SXM',
    pricePerHourUsd: 1.29,
    // https://github.com/AkihikoWatanabe/paper_notes/issues/1493
    priceSource: 'Lambda, A100 SXM 40 GB',
    priceDate: '2024-11-09',
  },
  {
    id: 'a100-80gb',
    name: 'NVIDIA A100 80 GB',
    totalBytes: gib(79.14),
    totalSource: 'https://github.com/lianqi1008/Control-GIC/issues/6',
    computeCapability: [8, 0],
    multiprocessors: 108,
    memoryBandwidthBytesPerSecond: 2_039 * GB,
    peakFlops: { fp32: 19.5 * TERA, tf32: 156 * TERA, fp16: 312 * TERA, bf16: 312 * TERA },
    productFlops: { fp32: 19.2 * TERA, tf32: 125 * TERA, half: 261 * TERA },
    productSource: 'database.md, A100 SXM4 80 GB; TF32 at the share that 16 bits reach',
    linkBytesPerSecond: 300 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA A100 data sheet, 80 GB SXM',
    pricePerHourUsd: 1.59,
    priceSource: 'RunPod Secure Cloud, A100 SXM',
    priceDate: '2026-09-25',
  },
  {
    id: 'l4',
    name: 'NVIDIA L4',
    totalBytes: gib(22.03),
    totalSource:
      'Out-of-memory message of PyTorch 2.14 (CUDA 13.0) on an L4; nvidia-smi says 23034 MiB: https://github.com/modal-labs/modal-client/pull/2797',
    computeCapability: [8, 9],
    multiprocessors: 58,
    memoryBandwidthBytesPerSecond: 300 * GB,
    peakFlops: { fp32: 30.3 * TERA, tf32: 60 * TERA, fp16: 121 * TERA, bf16: 121 * TERA },
    productFlops: { fp32: 10.7 * TERA, tf32: 25.7 * TERA, half: 56.6 * TERA },
    productSource: 'issue 120, products of 8,192: within the first second it is faster, before its 72 W bind',
    linkBytesPerSecond: 32 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA L4 data sheet, its sparse figures halved',
    pricePerHourUsd: 0.49,
    // catalogs/v8/runpod/vms.csv in https://github.com/skypilot-org/skypilot-catalog at 01acdfd
    priceSource: 'RunPod Secure Cloud, L4 (undated catalogue)',
    priceDate: '2026',
  },
  {
    id: 't4',
    name: 'NVIDIA T4',
    totalBytes: gib(14.56),
    totalSource: 'https://github.com/Zheng-Chong/CatVTON/issues/133',
    computeCapability: [7, 5],
    multiprocessors: 40,
    memoryBandwidthBytesPerSecond: 320 * GB,
    peakFlops: { fp32: 8.1 * TERA, fp16: 65 * TERA },
    productFlops: { fp32: 4.2 * TERA, half: 24 * TERA },
    productSource:
      'fp32 in database.md; 24 TFLOP/s in fp16 once its 70 W bind: https://forums.developer.nvidia.com/t/about-gpu-peak-performance/264462',
    linkBytesPerSecond: 16 * GB,
    hostLinkBytesPerSecond: 16 * GB,
    specSource: 'NVIDIA T4 data sheet',
    pricePerHourUsd: 0.526,
    // https://github.com/skypilot-org/skypilot/pull/718
    priceSource: 'AWS EC2 g4dn.xlarge',
    priceDate: '2022-04-05',
  },
  {
    id: 'v100-16gb',
    name: 'NVIDIA V100 16 GB',
    totalBytes: gib(15.78),
    totalSource: 'https://github.com/kchengiva/Shift-GCN/issues/34',
    computeCapability: [7, 0],
    multiprocessors: 80,
    memoryBandwidthBytesPerSecond: 900 * GB,
    peakFlops: { fp32: 15.7 * TERA, fp16: 125 * TERA },
    productFlops: { fp32: 14.4 * TERA, half: 97.4 * TERA },
    productSource: 'issue 140',
    linkBytesPerSecond: 150 * GB,
    hostLinkBytesPerSecond: 16 * GB,
    specSource: 'NVIDIA V100 data sheet, SXM2',
    pricePerHourUsd: 0.79,
    priceSource: 'Lambda, one eighth of 8x V100',
    priceDate: '2026-09-20',
  },
  {
    id: 'l40s',
    name: 'NVIDIA L40S',
    totalBytes: gib(44.42),
    totalSource: 'https://github.com/stepfun-ai/Step-Video-T2V/issues/8',
    computeCapability: [8, 9],
    multiprocessors: 142,
    memoryBandwidthBytesPerSecond: 864 * GB,
    peakFlops: { fp32: 91.6 * TERA, tf32: 183 * TERA, fp16: 362 * TERA, bf16: 362 * TERA },
    productFlops: { fp32: 46.9 * TERA, tf32: 134 * TERA, half: 266 * TERA },
    productSource: 'database.md; TF32 at half of 16 bits, as on the data sheet',
    linkBytesPerSecond: 32 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA L40S data sheet',
    pricePerHourUsd: 1.09,
    priceSource: 'RunPod Secure Cloud, L40S',
    priceDate: '2026-09-25',
  },
  {
    id: 'a6000',
    name: 'NVIDIA RTX A6000',
    totalBytes: gib(47.5),
    totalSource: 'https://github.com/uc-vision/smart-tree/issues/13, ±0.05 GiB',
    computeCapability: [8, 6],
    multiprocessors: 84,
    memoryBandwidthBytesPerSecond: 768 * GB,
    peakFlops: { fp32: 38.7 * TERA, tf32: 77.4 * TERA, fp16: 154.8 * TERA, bf16: 154.8 * TERA },
    productFlops: { fp32: 23.9 * TERA, tf32: 60 * TERA, half: 122 * TERA },
    productSource: 'database.md; TF32 at half of 16 bits, as on the data sheet',
    linkBytesPerSecond: 32 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA Ampere GA102 white paper 2.0, appendix C',
    pricePerHourUsd: 1.09,
    priceSource: 'Lambda, A6000',
    priceDate: '2026-09-20',
  },
  {
    id: 'rtx-3090',
    name: 'NVIDIA GeForce RTX 3090',
    totalBytes: gib(23.69),
    totalSource: 'https://github.com/ucwxb/GraphAvatar/issues/4',
    computeCapability: [8, 6],
    multiprocessors: 82,
    memoryBandwidthBytesPerSecond: 936 * GB,
    peakFlops: { fp32: 35.6 * TERA, tf32: 35.6 * TERA, fp16: 71 * TERA, bf16: 71 * TERA },
    productFlops: { fp32: 24.8 * TERA, tf32: 38 * TERA, half: 76 * TERA },
    productSource: 'database.md; TF32 at half of 16 bits, as on the data sheet',
    linkBytesPerSecond: 32 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA Ampere GA102 white paper 2.0, appendix A',
    pricePerHourUsd: 0.5,
    // catalogs/v8/runpod/vms.csv in https://github.com/skypilot-org/skypilot-catalog at 01acdfd
    priceSource: 'RunPod Secure Cloud, RTX 3090 (undated catalogue)',
    priceDate: '2026',
  },
  {
    id: 'rtx-4090',
    name: 'NVIDIA GeForce RTX 4090',
    totalBytes: gib(23.52),
    totalSource: 'https://github.com/Soul-AILab/SoulX-FlashTalk/issues/5',
    computeCapability: [8, 9],
    multiprocessors: 128,
    memoryBandwidthBytesPerSecond: 1_008 * GB,
    peakFlops: { fp32: 82.6 * TERA, tf32: 82.6 * TERA, fp16: 165.2 * TERA, bf16: 165.2 * TERA },
    productFlops: { fp32: 53.4 * TERA, tf32: 85.7 * TERA, half: 157.8 * TERA },
    productSource: 'issue 78, products of 8,192',
    linkBytesPerSecond: 32 * GB,
    hostLinkBytesPerSecond: 32 * GB,
    specSource: 'NVIDIA Ada GPU architecture white paper, appendix A',
    pricePerHourUsd: 0.74,
    priceSource: 'RunPod Secure Cloud, RTX 4090',
    priceDate: '2026-09-25',
  },
  {
    id: 'h100',
    name: 'NVIDIA H100 SXM',
    totalBytes: gib(79.11),
    totalSource: 'https://github.com/vllm-project/vllm/issues/27508',
    computeCapability: [9, 0],
    multiprocessors: 132,
    memoryBandwidthBytesPerSecond: 3_350 * GB,
    peakFlops: { fp32: 67 * TERA, tf32: 494.5 * TERA, fp16: 989.5 * TERA, bf16: 989.5 * TERA },
    productFlops: { fp32: 51.8 * TERA, tf32: 372 * TERA, half: 767 * TERA },
    productSource: 'issue 79, products of 8,192',
    linkBytesPerSecond: 450 * GB,
    hostLinkBytesPerSecond: 64 * GB,
    specSource: 'NVIDIA H100 data sheet, SXM, its sparse figures halved',
    pricePerHourUsd: 3.49,
    priceSource: 'RunPod Secure Cloud, H100 SXM',
    priceDate: '2026-09-25',
  },
  {
    id: 'h200',
    name: 'NVIDIA H200',
    totalBytes: gib(139.8),
    totalSource: 'Out-of-memory messages of PyTorch on H200 servers: 139.80 GiB in most, 139.81 GiB in some',
    computeCapability: [9, 0],
    multiprocessors: 132,
    memoryBandwidthBytesPerSecond: 4_800 * GB,
    peakFlops: { fp32: 67 * TERA, tf32: 494.5 * TERA, fp16: 989.5 * TERA, bf16: 989.5 * TERA },
    productFlops: { fp32: 51.3 * TERA, tf32: 372 * TERA, half: 775 * TERA },
    productSource: "database.md; TF32 as an H100's in issue 79",
    linkBytesPerSecond: 450 * GB,
    hostLinkBytesPerSecond: 64 * GB,
    specSource: 'NVIDIA H200 data sheet, SXM, its sparse figures halved',
    pricePerHourUsd: 4.59,
    priceSource: 'RunPod Secure Cloud, H200',
    priceDate: '2026-09-25',
  },
]

export const gpus: readonly Gpu[] = rows.map(row => ({
  ...row,
  contextBytes: CONTEXT_BYTES,
  cublasWorkspaceBytes: cublasWorkspaceBytes(row.computeCapability),
}))

/**
 * Names beside id and name, most of them torch.cuda.get_device_name's. A variant with other memory or another speed
 * (RTX 3090 Ti, H100 PCIe, V100 32 GB) is not its sibling and stays unknown.
 */
const otherNames: readonly (readonly [name: string, id: string])[] = [
  // AWS's A10: the same memory; slower tensor cores and another price.
  ['A10G', 'a10'],
  // The capacity is not said: the smaller one is the safe reading.
  ['A100', 'a100-40gb'],
  ['A100-SXM4-40GB', 'a100-40gb'],
  ['A100-PCIE-40GB', 'a100-40gb'],
  ['A100-SXM4-80GB', 'a100-80gb'],
  ['A100 80GB PCIe', 'a100-80gb'],
  ['V100', 'v100-16gb'],
  ['V100-SXM2-16GB', 'v100-16gb'],
  ['V100-PCIE-16GB', 'v100-16gb'],
  ['3090', 'rtx-3090'],
  ['4090', 'rtx-4090'],
  ['H100 80GB', 'h100'],
  ['H100 80GB HBM3', 'h100'],
  ['H200 SXM', 'h200'],
]

const byKey = new Map<string, Gpu>(
  gpus.flatMap(gpu => {
    const others = otherNames.filter(([, id]) => id === gpu.id).map(([name]) => name)
    return [gpu.id, gpu.name, ...others].map(name => [key(name), gpu] as const)
  }),
)

/** The card of the published readings, and the default on which configs are judged. */
export const defaultGpu: Gpu = knownGpu('a10')

/**
 * The GPU that `text` names: an id, a name or what torch calls the device, whatever the case, spaces and dashes.
 * Undefined where the catalogue does not have it.
 */
export function findGpu(text: string): Gpu | undefined {
  return byKey.get(key(text))
}

function knownGpu(id: string): Gpu {
  const gpu = gpus.find(candidate => candidate.id === id)
  if (gpu === undefined) throw new Error(`the catalogue lost ${id}`)
  return gpu
}

/** torch: transformers/cuda/sdp_utils.cpp check_flash_attention_hardware_support: Ampere or newer. */
export function hasFlashAttention({ computeCapability: [major] }: Gpu): boolean {
  return major >= AMPERE
}

/** What a training process can fill: the total less the CUDA context. */
export function usableBytes(gpu: Gpu): number {
  return gpu.totalBytes - gpu.contextBytes
}

function key(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^(?:nvidia)?(?:tesla|geforce)?/, '')
}

/** PyTorch's parseChosenWorkspaceSize (aten/src/ATen/cuda/CublasHandlePool.cpp): `:4096:2:16:8`, or 32 MiB on Hopper. */
function cublasWorkspaceBytes([major]: Gpu['computeCapability']): number {
  return major === HOPPER ? 32 * MIB : 8.125 * MIB
}

function gib(reading: number): number {
  return Math.round(reading * GIB)
}
