/** Volta and Turing: without bf16 and TF32. */
import { type Card, GB, gib, TERA } from '../card.ts'

export const voltaAndTuring: readonly Card[] = [
  {
    id: 't4',
    name: 'NVIDIA T4',
    totalBytes: gib(14.56),
    totalSource: 'https://github.com/Zheng-Chong/CatVTON/issues/133',
    computeCapability: [7, 5],
    speed: {
      multiprocessors: 40,
      memoryBandwidthBytesPerSecond: 320 * GB,
      peakFlops: { fp32: 8.1 * TERA, fp16: 65 * TERA },
      productFlops: { fp32: 4.2 * TERA, half: 24 * TERA },
      productSource:
        'fp32 in database.md; 24 TFLOP/s in fp16 once its 70 W bind: https://forums.developer.nvidia.com/t/about-gpu-peak-performance/264462',
      linkBytesPerSecond: 16 * GB,
      hostLinkBytesPerSecond: 16 * GB,
      specSource: 'NVIDIA T4 data sheet',
    },
    pricePerHourUsd: 0.526,
    // https://github.com/skypilot-org/skypilot/pull/718
    priceSource: 'AWS EC2 g4dn.xlarge',
    priceDate: '2022-04-05',
    priceCaveat: 'older-than-a-year',
  },
  {
    id: 'v100-16gb',
    name: 'NVIDIA V100 16 GB',
    totalBytes: gib(15.78),
    totalSource: 'https://github.com/kchengiva/Shift-GCN/issues/34',
    computeCapability: [7, 0],
    speed: {
      multiprocessors: 80,
      memoryBandwidthBytesPerSecond: 900 * GB,
      peakFlops: { fp32: 15.7 * TERA, fp16: 125 * TERA },
      productFlops: { fp32: 14.4 * TERA, half: 97.4 * TERA },
      productSource: 'issue 140',
      linkBytesPerSecond: 150 * GB,
      hostLinkBytesPerSecond: 16 * GB,
      specSource: 'NVIDIA V100 data sheet, SXM2',
    },
    pricePerHourUsd: 0.79,
    priceSource: 'Lambda, one eighth of 8x V100',
    priceDate: '2026-09-20',
  },
  {
    id: 'v100-32gb',
    name: 'NVIDIA V100 32 GB',
    totalBytes: gib(31.74),
    totalSource: 'https://github.com/liucongg/ChatGLM-Finetuning/issues/73',
    computeCapability: [7, 0],
    speed: {
      multiprocessors: 80,
      memoryBandwidthBytesPerSecond: 900 * GB,
      peakFlops: { fp32: 15.7 * TERA, fp16: 125 * TERA },
      productFlops: { fp32: 14.4 * TERA, half: 97.4 * TERA },
      productSource: 'issue 140, of the 16 GB card',
      linkBytesPerSecond: 150 * GB,
      hostLinkBytesPerSecond: 16 * GB,
      specSource: 'NVIDIA V100 data sheet, SXM2',
    },
    pricePerHourUsd: 0.79,
    priceSource: 'Lambda, one eighth of 8x V100 16 GB',
    priceDate: '2026-09-20',
    priceCaveat: 'of-another-card',
  },
]
