import { expect, test } from 'vitest'
import { gpuNamed } from '../../engine/gpus/device-name.ts'

test.each([
  ['NVIDIA A10', 'a10'],
  ['NVIDIA A100-SXM4-40GB', 'a100-40gb'],
  ['NVIDIA A100 80GB PCIe', 'a100-80gb'],
  ['Tesla T4', 't4'],
  ['NVIDIA L4', 'l4'],
])('%s is the catalogue’s %s', (name, id) => {
  expect(gpuNamed(name)?.id).toBe(id)
})

test('a card that the catalogue lacks is no other card', () => {
  expect(gpuNamed('NVIDIA A1000 Laptop GPU')).toBeUndefined()
})
