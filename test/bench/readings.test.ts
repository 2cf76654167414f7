import { expect, test } from 'vitest'
import { namedVersions } from '../../bench/published/readings.ts'

test('a reading of a source without known versions has those that it names', () => {
  const setup = 'Mistral-7B LoRA, FSDP 2 GPUs, accelerate 1.0'
  const note =
    'transformers 4.48.1, torch 2.4.1, flash-attn 2.7, trl 0.13; packed to 4096; accelerate before 1.15 summed'
  expect(namedVersions({ setup, note })).toEqual({
    transformers: '4.48.1',
    torch: '2.4.1',
    trl: '0.13',
    accelerate: '1.0',
  })
  expect(namedVersions({ setup: 'BERT on 4 GPUs', note: 'transformers of that time' })).toEqual({})
})
