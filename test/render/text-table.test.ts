import { expect, test } from 'vitest'
import { tableWithin } from '../../engine/render/text-table.ts'

const rows = [
  ['', 'memory', 'GPU'],
  ['LoRA', '18.5 GiB', 'L4'],
  ['Full fine-tuning', '113.6 GiB', 'H200'],
]

test('a table stands in columns where there is room, and row by row where there is none', () => {
  expect(tableWithin(40, rows)).toEqual([
    '                  memory     GPU',
    'LoRA              18.5 GiB   L4',
    'Full fine-tuning  113.6 GiB  H200',
  ])
  expect(tableWithin(32, rows)).toEqual([
    'LoRA',
    '  memory  18.5 GiB',
    '  GPU     L4',
    'Full fine-tuning',
    '  memory  113.6 GiB',
    '  GPU     H200',
  ])
})
