import { describe, expect, test } from 'vitest'
import { ThroughputModel } from '../../../engine/estimate/throughput/throughput.ts'
import { workOf } from '../../../engine/estimate/throughput/work.ts'
import { defaultGpu, findGpu, type SpeedyGpu } from '../../../engine/gpus/catalogue.ts'
import { modelIds } from '../../../engine/models/catalogue.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf, knownModel } from '../specs.ts'

/** The first id of every family. */
const representatives = [...new Map(modelIds.toReversed().map(id => [knownModel(id).family, id])).values()]

function card(id: string): SpeedyGpu {
  const gpu = findGpu(id)
  if (gpu === undefined) throw new Error(`${id} is not in the catalogue`)
  return gpu
}

function rate(name: string, changes: Partial<TrainingSpec>, batch: number, gpu = card('a100-80gb')): number {
  return new ThroughputModel(footprintOf(name, changes), gpu).samplesPerSecond(batch, 1)
}

const llama = 'meta-llama/Llama-2-7b-hf'
const llama3 = 'meta-llama/Llama-3.1-8B'
const llama8b = { precision: 'bf16', sequenceLength: 8_192 } as const
const bert = 'google-bert/bert-base-uncased'
const resnet = 'microsoft/resnet-50'
const lora = { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 }

describe('samples a second', () => {
  test.each(representatives)('%s has a number of them', id => {
    const rate = new ThroughputModel(footprintOf(id), defaultGpu).samplesPerSecond(1, 1)
    expect(rate).toBeGreaterThan(0)
    expect(rate).toBeLessThan(1e5)
  })

  test('are about as many with a fused loss as with logits and a loss', () => {
    const [fused = 0, plain = 0] = [true, false].map(fusedLoss => {
      const footprint = footprintOf('Qwen/Qwen2.5-7B', { precision: 'bf16', sequenceLength: 2_048, fusedLoss })
      return new ThroughputModel(footprint, defaultGpu).samplesPerSecond(2, 1)
    })
    expect(fused / plain).toBeGreaterThan(0.8)
    expect(fused / plain).toBeLessThan(1.25)
  })

  test.each(['zero3', 'fsdp'] as const)(
    'are fewer where what %s divides waits on the host, which is fetched',
    sharding => {
      const shared = { gpus: 4, sharding, precision: 'bf16-master', sequenceLength: 512 } as const
      const [kept, offloaded] = [undefined, 'optimizer-and-weights' as const].map(offload =>
        rate('Qwen/Qwen2.5-3B', { ...shared, ...(offload && { offload }) }, 1, card('rtx-3090')),
      )
      expect(offloaded).toBeLessThan(0.9 * (kept ?? 0))
    },
  )

  test('with the optimizer on the host, GPUs of one server wait for its CPU as long as one alone', () => {
    const seconds = (gpus: number, offload?: 'optimizer') => {
      const shared = { gpus, sharding: 'zero2', precision: 'bf16-master', sequenceLength: 512 } as const
      return 1 / rate('Qwen/Qwen2.5-3B', { ...shared, ...(offload && { offload }) }, 1)
    }
    const [two, eight] = [2, 8].map(gpus => seconds(gpus, 'optimizer') - seconds(gpus))
    // DeepSpeed's CPU Adam takes 0.22 s for a billion parameters.
    for (const waited of [two, eight]) {
      expect(waited).toBeGreaterThan(3.08 * 0.22 * 0.8)
      expect(waited).toBeLessThan(3.08 * 0.22 * 1.5)
    }
  })

  test('are more with selective checkpoints than with full ones, since what they keep is not computed again', () => {
    const titan = { ...llama8b, modelCode: 'torchtitan', loop: 'torchtitan', gradientCheckpointing: true } as const
    const [none = 0, selective = 0, full = 0] = [
      { gradientCheckpointing: false },
      { selectiveCheckpoints: true as const },
      {},
    ].map(changes => rate(llama3, { ...titan, ...changes }, 1))
    expect(selective).toBeGreaterThan(1.08 * full)
    expect(none).toBeGreaterThan(selective)
  })

  test('are fewer where positions turn pairs of features in float32, which moves more bytes', () => {
    const [halves = 0, pairs = 0] = [{}, { rotatesPairs: true as const }].map(changes =>
      rate(llama3, { ...llama8b, ...changes }, 1),
    )
    expect(pairs).toBeLessThan(0.99 * halves)
    expect(pairs).toBeGreaterThan(0.9 * halves)
  })

  test('are more where torch.compile joins what only moves bytes, and products are the same', () => {
    const compiled = { ...llama8b, compiled: true as const, fusedNorms: true as const }
    const [eager, joined] = [false, true].map(isCompiled =>
      workOf(footprintOf(llama3, compiled).nodes, {
        recomputes: false,
        isCompiled,
        isLossCompiled: isCompiled,
        isFloat8: false,
        dividesTokens: false,
      }),
    )
    const flops = (work = joined) => work!.kernels.reduce((sum, { count, flops }) => sum + count * flops, 0)
    expect(flops()).toBe(flops(eager))
    const moved = (work = joined) =>
      work?.kernels.reduce(
        (sum, kernel) => sum + (kernel.kind === 'memory' ? kernel.count * kernel.bytesPerSample : 0),
        0,
      )
    expect(moved()! / moved(eager)!).toBeGreaterThan(0.3)
    expect(moved()! / moved(eager)!).toBeLessThan(0.7)
    expect(joined!.operations).toBeLessThan(eager!.operations)
  })

  test.each([
    ['h100', 1.15, 1.6],
    ['a100-80gb', 0.8, 1],
  ] as const)('with 8-bit floats on %s are %s to %s times as many', (id, least, most) => {
    const compiled = { ...llama8b, compiled: true as const }
    const gain = rate(llama3, { ...compiled, float8: true }, 2, card(id)) / rate(llama3, compiled, 2, card(id))
    expect(gain).toBeGreaterThan(least)
    expect(gain).toBeLessThan(most)
  })

  test('never decrease with the batch', () => {
    const model = new ThroughputModel(footprintOf(bert, { precision: 'amp-bf16' }), card('a100-80gb'))
    const rates = Array.from({ length: 12 }, (_, power) => model.samplesPerSecond(2 ** power, 1))
    expect(rates).toEqual(rates.toSorted((a, b) => a - b))
  })

  test('double with a small batch, whose step takes as long as Python needs to launch it', () => {
    const small = rate(bert, { precision: 'bf16' }, 2) / rate(bert, { precision: 'bf16' }, 1)
    const large = rate(bert, { precision: 'bf16' }, 512) / rate(bert, { precision: 'bf16' }, 256)
    expect(small).toBeGreaterThan(1.98)
    expect(large).toBeLessThan(1.05)
  })

  test('are more for adapters than for full fine-tuning, whose optimizer steps with every weight', () => {
    const settings = { precision: 'bf16', sequenceLength: 512 } as const
    const [adapted, full] = [rate(llama, { ...settings, lora }, 8), rate(llama, settings, 8)]
    expect(adapted / full).toBeGreaterThan(1.2)
  })

  test('are fewer over weights that have to be unpacked', () => {
    const settings = { precision: 'bf16', sequenceLength: 512, lora } as const
    const of = (quantization?: TrainingSpec['quantization']) =>
      rate(llama, { ...settings, ...(quantization && { quantization }) }, 8)
    expect(of('nf4')).toBeLessThan(of())
    expect(of('nf4-double')).toBeLessThan(of('nf4'))
    expect(of('gptq')).toBeLessThan(of('nf4'))
  })

  test('wait for Python where FSDP1 wraps each matrix of an adapter, as the Trainer has it before transformers 5', () => {
    const settings = { precision: 'bf16', sequenceLength: 512, lora, gpus: 2, sharding: 'fsdp' } as const
    const gain = (changes: Partial<TrainingSpec>) =>
      rate(llama, { ...settings, ...changes }, 2) / rate(llama, { ...settings, ...changes }, 1)
    const versions = { transformers: '4.48.1' }
    expect(gain({ loop: 'trainer', versions })).toBeGreaterThan(1.9)
    expect(gain({ loop: 'trainer' })).toBeLessThan(1.6)
    expect(gain({ loop: 'plain', versions })).toBeLessThan(1.6)
  })

  test('count the hooks of these matrices once more where checkpointing runs the forward pass again', () => {
    const settings = { precision: 'bf16', sequenceLength: 16, lora, gpus: 2, sharding: 'fsdp' } as const
    const wrapped = { ...settings, loop: 'trainer', versions: { transformers: '4.48.1' } } as const
    const hooks = (gradientCheckpointing: boolean) =>
      1 / rate(llama, { ...wrapped, gradientCheckpointing }, 1) -
      1 / rate(llama, { ...wrapped, versions: {}, gradientCheckpointing }, 1)
    expect(hooks(true) / hooks(false)).toBeCloseTo(1.5, 1)
  })

  test('are a fifth to a third fewer with checkpointing, which runs the forward pass twice', () => {
    const settings = { precision: 'bf16', sequenceLength: 2_048 } as const
    const share = rate(llama, { ...settings, gradientCheckpointing: true }, 4) / rate(llama, settings, 4)
    expect(share).toBeGreaterThan(0.66)
    expect(share).toBeLessThan(0.82)
  })

  test('of 16-bit convolutions depend on where the channels are', () => {
    const [last, first] = [true, undefined].map(channelsLast =>
      rate(resnet, { precision: 'amp-fp16', ...(channelsLast && { channelsLast }) }, 256),
    ) as [number, number]
    expect(last / first).toBeGreaterThan(1.3)
  })

  test('of convolutions in fp32 are those of TF32, which cuDNN uses unless told not to', () => {
    const [tf32, fp32] = [rate(resnet, { precision: 'tf32' }, 128), rate(resnet, { precision: 'fp32' }, 128)]
    expect(fp32 / tf32).toBeGreaterThan(0.97)
  })

  test.each([
    ['ddp', 0.9],
    ['zero2', 0.85],
    ['fsdp', 0.6],
  ] as const)('fall with %s over eight GPUs, but to no less than %d of one GPU’s', (sharding, least) => {
    const settings = { precision: 'bf16-master', sequenceLength: 512, optimizer: 'adamw-fused' } as const
    const alone = rate('gpt2-medium', settings, 16)
    const shared = rate('gpt2-medium', { ...settings, gpus: 8, sharding }, 16)
    expect(shared / alone).toBeGreaterThan(least)
    expect(shared / alone).toBeLessThan(1.1)
  })

  test('are fewer where the paged state does not fit beside the step, and goes to the host and back', () => {
    const settings = { precision: 'bf16', sequenceLength: 512, optimizer: 'paged-adamw' } as const
    const ofHost = (gpu: SpeedyGpu, hostLinkBytesPerSecond: number) =>
      rate('Qwen/Qwen2.5-3B', settings, 1, { ...gpu, speed: { ...gpu.speed, hostLinkBytesPerSecond } })
    const [roomy, small] = [card('a100-80gb'), card('a10')]
    expect(ofHost(roomy, 32e9)).toBe(ofHost(roomy, 16e9))
    expect(ofHost(small, 32e9)).toBeGreaterThan(1.2 * ofHost(small, 16e9))
  })

  describe('of a tensor-parallel group', () => {
    const divided = (changes: Partial<TrainingSpec> = {}): Partial<TrainingSpec> => ({
      ...llama8b,
      gpus: 8,
      tensorParallel: { gpus: 8, dividesTokens: true, dividesLoss: true },
      compiled: true,
      ...changes,
    })
    const onLinks = (gigabytes: number): SpeedyGpu => {
      const h100 = card('h100')
      return { ...h100, speed: { ...h100.speed, linkBytesPerSecond: gigabytes * 1e9 } }
    }
    const seconds = (changes: Partial<TrainingSpec>, gigabytes: number) =>
      12 / rate(llama3, divided(changes), 12, onLinks(gigabytes))

    test('wait for what it gathers and scatters: four times the residuals a layer and pass, and the embeddings', () => {
      const residuals = (12 * 8_192 * 4_096 * 2 * 7) / 8
      const times = (2 * (4 * 32 + 2)) / (0.75 * 1e9)
      const gathers = (seconds({}, 100) - seconds({}, 200)) / (1 / 100 - 1 / 200)
      expect(gathers / (residuals * times)).toBeGreaterThan(0.95)
      expect(gathers / (residuals * times)).toBeLessThan(1.05)
    })

    test('are more with 8-bit floats, of which each GPU makes those of its part', () => {
      expect(seconds({}, 450) / seconds({ float8: true }, 450)).toBeGreaterThan(1.1)
      const gathers = (changes: Partial<TrainingSpec>) => seconds(changes, 100) - seconds(changes, 200)
      expect(gathers({ float8: true }) / gathers({})).toBeGreaterThan(0.7)
      expect(gathers({ float8: true }) / gathers({})).toBeLessThan(0.8)
    })
  })

  test('are about as many beyond one server, whose adapters all serve one exchange', () => {
    const settings = { precision: 'bf16-master', sequenceLength: 2_048, attention: 'flash', sharding: 'fsdp' } as const
    const [one, four] = [8, 32].map(gpus => rate('facebook/opt-13b', { ...settings, gpus }, 2, card('h100'))) as [
      number,
      number,
    ]
    expect(four / one).toBeGreaterThan(0.9)
    expect(four / one).toBeLessThan(1.1)
  })

  test('over slower links are fewer', () => {
    const settings = { precision: 'bf16', sequenceLength: 512, gpus: 8, sharding: 'ddp' } as const
    const gpu = card('a100-80gb')
    expect(rate(bert, settings, 16, { ...gpu, speed: { ...gpu.speed, linkBytesPerSecond: 16e9 } })).toBeLessThan(
      rate(bert, settings, 16, gpu),
    )
  })
})

test("Flash Attention 2 gains nothing from Blackwell's tensor cores: a B200 has 148 multiprocessors to an H100's 132", () => {
  const settings = { precision: 'bf16', attention: 'flash' } as const
  const attentionSeconds = (id: string) => {
    const [short, long] = [16_384, 65_536].map(
      sequenceLength => 1 / sequenceLength / rate('Qwen/Qwen3-4B', { ...settings, sequenceLength }, 1, card(id)),
    ) as [number, number]
    return long - short
  }
  expect(attentionSeconds('h100') / attentionSeconds('b200')).toBeCloseTo(148 / 132, 1)
})

describe('cards in their order', () => {
  const training = { precision: 'amp-fp16', sequenceLength: 384, attention: 'eager' } as const
  const speed = (id: string) => rate('google-bert/bert-large-uncased', training, 16, card(id))

  test.each([
    ['h100', 'a100-80gb'],
    ['a100-80gb', 'rtx-4090'],
    ['rtx-4090', 'rtx-3090'],
    ['rtx-3090', 'a10'],
    ['a10', 'l4'],
    ['l4', 't4'],
  ])('%s before %s', (faster, slower) => {
    expect(speed(faster)).toBeGreaterThan(speed(slower))
  })
})

test.each([
  ['nf4', { precision: 'bf16', inFloat16: true }, { precision: 'bf16' }],
  ['gptq', { precision: 'bf16', inFloat16: true }, { precision: 'bf16' }],
  ['nf4', { precision: 'amp-fp16' }, { precision: 'amp-bf16' }],
] as const)(
  'products with %s in float16 cast nothing, and run on the tensor cores of cards without bfloat16: %j',
  (quantization, inFloat16, inBfloat16) => {
    const lora = { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 }
    const given = { sequenceLength: 512, loop: 'trainer', quantization, lora } as const
    const speed = (id: string, changes: Partial<TrainingSpec>) => rate(llama3, { ...given, ...changes }, 4, card(id))
    expect(speed('a10', inFloat16)).toBeCloseTo(speed('a10', inBfloat16), 6)
    expect(speed('t4', inFloat16) / speed('t4', inBfloat16)).toBeGreaterThan(2)
  },
)
