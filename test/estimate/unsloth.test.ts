/** Unsloth's kernels, against the longest sequences that its own benchmark ran. */
import { describe, expect, test } from 'vitest'
import { GIB } from '../../engine/base/units.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']

/** As the benchmark says it: one sequence, 4 bits, rank 32 on all linear layers; its optimizer is that of Unsloth's notebooks. */
const qlora: Partial<TrainingSpec> = {
  microBatch: 1,
  gradientAccumulation: 4,
  precision: 'bf16',
  quantization: 'nf4-double',
  optimizer: 'adamw-8bit',
  lora: { rank: 32, targets, dropout: 0 },
  gradientCheckpointing: true,
  attention: 'flash',
  loop: 'trainer',
}
const unsloth = { unslothKernels: true, fusedLoss: true, fusedNorms: true, offloadsCheckpoints: true } as const

/** github.com/unslothai/unsloth, README of 2025, "Context length benchmarks": GB of a card, tokens of the longest sequence. */
const published = {
  'meta-llama/Llama-3.1-8B': [
    [12, 21_848],
    [16, 40_724],
    [24, 78_475],
    [40, 153_977],
    [48, 191_728],
    [80, 342_733],
  ],
  'meta-llama/Llama-3.3-70B-Instruct': [
    [48, 12_106],
    [80, 89_389],
  ],
} as const

const rows = Object.entries(published).flatMap(([id, lengths]) =>
  lengths.map(([gib, tokens]) => [id, gib, tokens] as const),
)

describe.each(rows)('%s on a card of %i GB', (id, gib, sequenceLength) => {
  test(`of ${sequenceLength} tokens takes it to a tenth of it`, () => {
    const share = footprintOf(id, { ...qlora, ...unsloth, sequenceLength }).peak(1, 0).bytes / GIB / gib
    expect(share).toBeGreaterThan(0.9)
    expect(share).toBeLessThan(1.02)
  })
})

test('adapters that cast their input to float32, as peft has it, would take half as much again', () => {
  const settings = { ...qlora, ...unsloth, sequenceLength: 78_475 }
  const { unslothKernels: _, ...asPeft } = settings
  const bytesOf = (spec: typeof asPeft) => footprintOf('meta-llama/Llama-3.1-8B', spec).peak(1, 0).bytes
  expect(bytesOf(asPeft) / bytesOf(settings)).toBeGreaterThan(1.4)
})

/** github.com/unslothai/notebooks at bdda2efc, nb/gpt-oss-(20B)-Fine-tuning.ipynb: reserved on a T4, 12.81 GiB before the first step. */
test("gpt-oss 20B, whose experts Unsloth's checkpoint holds in 4 bits, fits into a T4", () => {
  const inFourBits = { quantizedExperts: true, expertStyle: 'linear' } as const
  const lora = { rank: 8, targets: targets.slice(0, 4), dropout: 0 }
  const settings = { ...qlora, ...unsloth, ...inFourBits, lora, sequenceLength: 1024 }
  const gib = footprintOf('openai/gpt-oss-20b', settings).peak(1, 0).bytes / GIB
  expect(gib).toBeGreaterThan(0.9 * 12.975)
  expect(gib).toBeLessThan(12.975)
  const onExperts = footprintOf('openai/gpt-oss-20b', { ...settings, lora: { ...lora, targets } })
  // 24 layers of 32 experts, each with adapters of rank 8 on 2,880 to 5,760 and on 2,880 to 2,880, in float32 and twice in 8 bits.
  const added = 24 * 32 * 8 * (2880 + 5760 + 2880 + 2880)
  expect((onExperts.peak(1, 0).bytes / GIB - gib) / (added / GIB)).toBeGreaterThan(4)
})
