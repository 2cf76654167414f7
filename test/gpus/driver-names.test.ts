import { expect, test } from 'vitest'
import { findGpu } from '../../engine/gpus/catalogue.ts'

test.each([
  ['NVIDIA A10', 'a10'],
  ['NVIDIA A10G', 'a10'],
  ['NVIDIA A100-SXM4-40GB', 'a100-40gb'],
  ['NVIDIA A100 80GB PCIe', 'a100-80gb'],
  ['NVIDIA H100 80GB HBM3', 'h100'],
  ['NVIDIA H200', 'h200'],
  ['Tesla T4', 't4'],
  ['NVIDIA L4', 'l4'],
  ['NVIDIA GeForce RTX 3090', 'rtx-3090'],
])('what the driver calls %s is the catalogue’s %s', (name, id) => {
  expect(findGpu(name)?.id).toBe(id)
})

test.each([
  ['a slice of a card', 'NVIDIA A100-SXM4-40GB MIG 1g.5gb'],
  ['a slice of a card', 'NVIDIA H100 80GB HBM3 MIG 3g.40gb'],
  ['its sibling of a laptop', 'NVIDIA GeForce RTX 4090 Laptop GPU'],
  ['its faster sibling', 'NVIDIA GeForce RTX 3090 Ti'],
  ['its sibling for China', 'NVIDIA GeForce RTX 4090 D'],
  ['a virtual part of a card', 'NVIDIA A10-24Q'],
  ['another card whose name begins like one', 'NVIDIA A1000 Laptop GPU'],
])('%s is not the card: %s', (_, name) => {
  expect(findGpu(name)).toBeUndefined()
})
