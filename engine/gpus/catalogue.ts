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
import { MIB } from '../base/units.ts'
import type { Card, Gpu, SpeedyGpu } from './card.ts'
import { ada } from './cards/ada.ts'
import { ampere } from './cards/ampere.ts'
import { hopperAndBlackwell } from './cards/hopper-and-blackwell.ts'
import { voltaAndTuring } from './cards/volta-and-turing.ts'

export type { Gpu, SpeedyGpu } from './card.ts'

/** Assumed equal for every GPU: a context with lazily loaded kernels, CUDA's default since 12.2. */
const CONTEXT_BYTES = 300 * MIB

const AMPERE = 8
const HOPPER = 9

export const gpus: readonly SpeedyGpu[] = [...voltaAndTuring, ...ampere, ...ada, ...hopperAndBlackwell].map(gpuOf)

function gpuOf(card: Card): SpeedyGpu {
  return { ...card, ...overheadOf(card.computeCapability) }
}

/** Bytes that CUDA and cuBLAS take on any GPU. */
export function overheadOf(
  computeCapability: Gpu['computeCapability'],
): Pick<Gpu, 'contextBytes' | 'cublasWorkspaceBytes'> {
  return { contextBytes: CONTEXT_BYTES, cublasWorkspaceBytes: cublasWorkspaceBytes(computeCapability) }
}

/**
 * Names beside id and name, most of them torch.cuda.get_device_name's. A variant with other memory or another speed
 * (RTX 3090 Ti, H100 NVL, A100 PCIe with MIG) is not its sibling and stays unknown.
 */
const otherNames: readonly (readonly [name: string, id: string])[] = [
  // AWS's A10 has the same memory, but slower tensor cores and another price.
  ['A10G', 'a10'],
  // The name does not give the capacity; the smaller one is safe.
  ['A100', 'a100-40gb'],
  ['A100-SXM4-40GB', 'a100-40gb'],
  ['A100-PCIE-40GB', 'a100-40gb'],
  ['A100-SXM4-80GB', 'a100-80gb'],
  ['A100 80GB PCIe', 'a100-80gb'],
  ['V100', 'v100-16gb'],
  ['V100-SXM2-16GB', 'v100-16gb'],
  ['V100-PCIE-16GB', 'v100-16gb'],
  ['V100-SXM2-32GB', 'v100-32gb'],
  ['V100-PCIE-32GB', 'v100-32gb'],
  // The 12 GB card is far more common, and the 8 GB one says so in its name.
  ['3060', 'rtx-3060'],
  ['RTX 3060 12GB', 'rtx-3060'],
  ['3090', 'rtx-3090'],
  ['4080', 'rtx-4080'],
  ['4090', 'rtx-4090'],
  ['5090', 'rtx-5090'],
  ['H100 80GB', 'h100'],
  ['H100 80GB HBM3', 'h100'],
  ['H200 SXM', 'h200'],
  ['RTX PRO 6000', 'rtx-pro-6000'],
  ['RTX PRO 6000 Blackwell', 'rtx-pro-6000'],
]

const byKey = new Map<string, SpeedyGpu>(
  gpus.flatMap(gpu => {
    const others = otherNames.filter(([, id]) => id === gpu.id).map(([name]) => name)
    return [gpu.id, gpu.name, ...others].map(name => [gpuKey(name), gpu] as const)
  }),
)

/** The GPU of the published readings, and the default. */
export const defaultGpu: SpeedyGpu = knownGpu('a10')

/**
 * Finds a GPU by id, name or torch's device name, ignoring case, spaces and dashes. Undefined if the catalogue lacks
 * it.
 */
export function findGpu(text: string): SpeedyGpu | undefined {
  return byKey.get(gpuKey(text))
}

/** Also searches the GPUs that a team describes. */
export function findGpuAmong(described: readonly Gpu[], text: string): Gpu | undefined {
  const key = gpuKey(text)
  return described.find(({ id }) => gpuKey(id) === key) ?? byKey.get(key)
}

function knownGpu(id: string): SpeedyGpu {
  const gpu = gpus.find(candidate => candidate.id === id)
  if (gpu === undefined) throw new Error(`the catalogue lost ${id}`)
  return gpu
}

/** torch: transformers/cuda/sdp_utils.cpp check_flash_attention_hardware_support: Ampere or newer. */
export function hasFlashAttention({ computeCapability: [major] }: Gpu): boolean {
  return major >= AMPERE
}

/** Whether its throughput is modelled. */
export function hasSpeed(gpu: Gpu): gpu is SpeedyGpu {
  return gpu.speed !== undefined
}

/** Tensor cores for 8-bit floats: Ada Lovelace and newer. */
export function hasFloat8({ computeCapability: [major, minor] }: Gpu): boolean {
  return major > 8 || (major === 8 && minor >= 9)
}

/** bf16 is supported from Ampere on. */
export function hasBfloat16({ computeCapability: [major] }: Gpu): boolean {
  return major >= AMPERE
}

/** Bytes for a training process: the total less the CUDA context. */
export function usableBytes(gpu: Gpu): number {
  return gpu.totalBytes - gpu.contextBytes
}

/** A key that is equal for spellings of one name; empty if nothing remains. */
export function gpuKey(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^(?:nvidia)?(?:tesla|geforce)?/, '')
}

/** PyTorch's parseChosenWorkspaceSize (aten/src/ATen/cuda/CublasHandlePool.cpp): `:4096:2:16:8`, or 32 MiB from Hopper on. */
function cublasWorkspaceBytes([major]: Gpu['computeCapability']): number {
  return major >= HOPPER ? 32 * MIB : 8.125 * MIB
}
