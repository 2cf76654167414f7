import { describe, expect, it } from 'vitest'
import { formatGib, GIB, MIB } from '../../engine/base/units.ts'
import { findGpu, type Gpu, gpus, usableBytes } from '../../engine/gpus/catalogue.ts'

const nominalGib: Readonly<Record<string, number>> = {
  t4: 16,
  'v100-16gb': 16,
  'v100-32gb': 32,
  a10: 24,
  a40: 48,
  'a100-40gb': 40,
  'a100-80gb': 80,
  a6000: 48,
  'rtx-3090': 24,
  'rtx-3060': 12,
  l4: 24,
  l20: 48,
  l40: 48,
  l40s: 48,
  'rtx-4080': 16,
  'rtx-4090': 24,
  'h100-pcie': 80,
  h100: 80,
  h200: 141,
  b200: 180,
  'rtx-5090': 32,
  'rtx-pro-6000': 96,
}

/** The newest price is of September 2026. */
const NEWEST_PRICE_LESS_A_YEAR = '2025-09-25'

function known(text: string): Gpu {
  const gpu = findGpu(text)
  if (gpu === undefined) throw new Error(`${text} is not in the catalogue`)
  return gpu
}

describe('the catalogue', () => {
  it('has these GPUs, each once', () => {
    expect(gpus.map(gpu => gpu.id)).toEqual(Object.keys(nominalGib))
  })

  it('shows an A10 as torch does, 22.1 GiB, and leaves 21.8 GiB of it to training', () => {
    expect(formatGib(known('a10').totalBytes)).toBe('22.1 GiB')
    expect(formatGib(usableBytes(known('a10')))).toBe('21.8 GiB')
  })

  it('gives cuBLAS 8.125 MiB below Hopper and 32 MiB from Hopper on', () => {
    const later = ['h100-pcie', 'h100', 'h200', 'b200', 'rtx-5090', 'rtx-pro-6000']
    for (const gpu of gpus) {
      expect(gpu.cublasWorkspaceBytes, gpu.id).toBe(later.includes(gpu.id) ? 33_554_432 : 8_519_680)
    }
  })

  it('knows that T4 and V100 have neither bf16 nor TF32, and that every later card has both', () => {
    const lacking = gpus.filter(
      ({ speed: { peakFlops } }) => peakFlops.bf16 === undefined && peakFlops.tf32 === undefined,
    )
    const having = gpus.filter(
      ({ speed: { peakFlops } }) => peakFlops.bf16 !== undefined && peakFlops.tf32 !== undefined,
    )
    expect(lacking.map(gpu => gpu.id)).toEqual(['t4', 'v100-16gb', 'v100-32gb'])
    expect(having).toHaveLength(gpus.length - 3)
  })

  describe.each(gpus.map(gpu => [gpu.id, gpu] as const))('%s', (id, gpu) => {
    it('has between 0.5 and 10 % less memory than it is sold with', () => {
      const missing = 1 - gpu.totalBytes / GIB / (nominalGib[id] ?? Number.NaN)
      expect(missing).toBeGreaterThan(0.005)
      expect(missing).toBeLessThan(0.1)
    })

    it('leaves 300 MiB less than its total to training', () => {
      expect(gpu.totalBytes - usableBytes(gpu)).toBe(300 * MIB)
    })

    it('is no slower in fp16 than in fp32', () => {
      expect(gpu.speed.peakFlops.fp16).toBeGreaterThanOrEqual(gpu.speed.peakFlops.fp32)
    })

    it('keeps up less than its peak in products, or at most what a card that clocks higher than its data sheet does', () => {
      for (const mode of ['fp32', 'tf32'] as const) {
        expect((gpu.speed.productFlops[mode] ?? 0) / (gpu.speed.peakFlops[mode] ?? 1)).toBeLessThan(1.12)
      }
      expect(gpu.speed.productFlops.half / gpu.speed.peakFlops.fp16).toBeLessThan(1.12)
      expect(gpu.speed.productFlops.half).toBeGreaterThan(gpu.speed.productFlops.fp32)
      expect(gpu.speed.productSource).not.toBe('')
    })

    it('has a price of the last twelve months, or says what is wrong with it', () => {
      const isDated = gpu.priceDate.length === 10 && gpu.priceDate >= NEWEST_PRICE_LESS_A_YEAR
      expect(gpu.priceCaveat === undefined ? isDated : true).toBe(true)
    })

    it('has a price with its source and ISO date, or none', () => {
      if (gpu.priceCaveat === 'not-given') return expect(gpu).toMatchObject({ pricePerHourUsd: 0, priceDate: '' })
      expect(gpu.pricePerHourUsd).toBeGreaterThan(0)
      expect(gpu.priceSource).not.toBe('')
      expect(gpu.priceDate).toMatch(/^20\d\d(-\d\d-\d\d)?$/)
      expect(Number.isNaN(Date.parse(gpu.priceDate))).toBe(false)
    })

    it('is found by its id and by its name', () => {
      expect(findGpu(gpu.id)).toBe(gpu)
      expect(findGpu(gpu.name)).toBe(gpu)
    })
  })
})

describe('a GPU is found', () => {
  it.each([
    ['A10', 'a10'],
    ['nvidia a10', 'a10'],
    ['NVIDIA A10G', 'a10'],
    ['A100', 'a100-40gb'],
    ['NVIDIA A100-SXM4-40GB', 'a100-40gb'],
    ['NVIDIA A100-SXM4-80GB', 'a100-80gb'],
    ['NVIDIA A100 80GB PCIe', 'a100-80gb'],
    ['a100_80gb', 'a100-80gb'],
    ['Tesla T4', 't4'],
    ['Tesla V100-SXM2-16GB', 'v100-16gb'],
    ['RTX A6000', 'a6000'],
    ['NVIDIA GeForce RTX 3090', 'rtx-3090'],
    ['RTX4090', 'rtx-4090'],
    ['NVIDIA H100 80GB HBM3', 'h100'],
    ['H200', 'h200'],
    ['Tesla V100-SXM2-32GB', 'v100-32gb'],
    ['NVIDIA H100 PCIe', 'h100-pcie'],
    ['RTX 5090', 'rtx-5090'],
    ['NVIDIA GeForce RTX 3060', 'rtx-3060'],
    ['NVIDIA L20', 'l20'],
    ['NVIDIA L40', 'l40'],
    ['NVIDIA GeForce RTX 4080', 'rtx-4080'],
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', 'rtx-pro-6000'],
    ['NVIDIA B200', 'b200'],
  ])('as %s', (text, id) => {
    expect(findGpu(text)?.id).toBe(id)
  })
})

describe('nothing is found', () => {
  it.each([
    '',
    'nvidia',
    'a1',
    'cpu',
    'RTX 3090 Ti',
    'RTX 3060 Ti',
    'NVIDIA GeForce RTX 4080 SUPER',
    'NVIDIA RTX PRO 6000 Blackwell Workstation Edition',
    'NVIDIA GeForce RTX 3060 Laptop GPU',
    'RTX 6000 Ada',
    'NVIDIA H100 NVL',
    'NVIDIA A100-SXM4-80GB MIG 1g.10gb',
    'constructor',
  ])('for "%s"', text => {
    expect(findGpu(text)).toBeUndefined()
  })
})
