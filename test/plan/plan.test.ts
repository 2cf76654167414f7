/** Which GPUs a plan names: what it keeps, what it leaves out, and that nothing cheaper of those it may choose is left unsaid. */
import { describe, expect, it } from 'vitest'
import { assess } from '../../engine/assess.ts'
import { errorBand } from '../../engine/estimate/error-band.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu, gpus, type SpeedyGpu, usableBytes } from '../../engine/gpus/catalogue.ts'
import { divisors } from '../../engine/metrics/divisors.ts'
import { highestPeak, marginFor } from '../../engine/metrics/range.ts'
import { type PlanOptions, planTraining } from '../../engine/plan/plan.ts'
import { arrangedSpec, strategiesFor } from '../../engine/plan/strategy.ts'
import { EstimateProbes } from '../../engine/probes/estimate.ts'
import { renderPlan } from '../../engine/render/plan.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { defaultPolicy } from '../../engine/verdict/policy.ts'
import { knownModel, onlineMethod, specOf } from '../estimate/specs.ts'

const cards = ['t4', 'a10', 'l40s', 'a100-80gb', 'h100'].map(id => findGpu(id) as SpeedyGpu)

/** As a Trainer's config would be read. */
const trained: Partial<TrainingSpec> = {
  sequenceLength: 1_024,
  microBatch: 4,
  gradientAccumulation: 6,
  precision: 'amp-bf16',
  optimizer: 'adamw-fused',
  loop: 'trainer',
}
const dialect = 'Hugging Face Trainer'

function planOf(name: string, changes: Partial<TrainingSpec> = {}, options: Partial<PlanOptions> = {}) {
  const spec = specOf(name, { ...trained, ...changes })
  const model = knownModel(name)
  return {
    spec,
    model,
    ...planTraining({ spec, model, dialect }, { cards, maxGpus: 16, ...options }, new FootprintCache()),
  }
}

const rowsOf = ({ sections }: ReturnType<typeof planOf>) => sections.flatMap(({ rows }) => rows)

describe('a plan for a config', () => {
  const plan = planOf('Qwen/Qwen2.5-1.5B')
  const rows = rowsOf(plan)

  it('keeps the samples of an optimizer step, on one GPU and on each power of two that divides them', () => {
    expect(rows.length).toBeGreaterThan(5)
    for (const { microBatch, gradientAccumulation, gpus: count, effectiveBatch, spec } of rows) {
      expect(microBatch * gradientAccumulation * count).toBe(24)
      expect(effectiveBatch).toBe(24)
      expect(spec).toMatchObject({ microBatch, gradientAccumulation, gpus: count })
    }
    expect(new Set(rows.map(row => row.gpus))).toEqual(new Set([1, 2, 4, 8]))
  })

  it('is a table where that fits, and a block for each row where it does not: no line is longer than a terminal', () => {
    const page = (columns: number) => renderPlan({ plan, name: 'qwen.yaml', top: 5, columns }).split('\n')
    const wide = page(Number.POSITIVE_INFINITY)
    expect(wide.some(line => line.length > 100)).toBe(true)
    expect(wide[1]).toMatch(/GPUs +shared by +batch/)
    const narrow = page(60)
    expect(Math.max(...narrow.map(line => line.length))).toBeLessThanOrEqual(60)
    const words = (lines: readonly string[]) => new Set(lines.join(' ').split(/\s+/))
    expect(words(narrow)).toEqual(words(wide))
  })

  it('is sorted by cost, and names nothing that the same card does as fast for as little with no more of it', () => {
    const costs = rows.map(row => row.usdPerMillionSamples)
    expect(costs).toEqual(costs.toSorted((a, b) => a - b))
    for (const row of rows) {
      const better = rows.filter(
        other =>
          other !== row &&
          other.gpu.id === row.gpu.id &&
          other.gpus <= row.gpus &&
          other.usdPerMillionSamples <= row.usdPerMillionSamples &&
          other.samplesPerSecond >= row.samplesPerSecond,
      )
      expect(better).toEqual([])
    }
  })

  it('holds only what fits wherever in the band it lies, and costs that follow from speed and price', () => {
    for (const row of rows) {
      expect(highestPeak(row)).toBeLessThanOrEqual(row.gpu.usableBytes)
      const usd = (1e6 / row.samplesPerSecond / 3_600) * row.gpus * row.gpu.pricePerHourUsd
      expect(row.usdPerMillionSamples).toBeCloseTo(usd, 9)
      expect(row.usdPerMillionSamplesRange.low).toBeLessThan(usd)
      expect(row.usdPerMillionSamplesRange.high).toBeGreaterThan(usd)
    }
  })

  it('has no card that does not compute in bfloat16', () => {
    expect(rows.map(row => row.gpu.id)).not.toContain('t4')
  })

  it.each([{ precision: 'bf16-master', inFloat16: true }, { precision: 'amp-fp16' }] as const)(
    'has one for %j, divided or not',
    arithmetic => {
      const { spec, ...found } = planOf('Qwen/Qwen2.5-0.5B', arithmetic)
      const ofT4 = rowsOf({ spec, ...found }).filter(row => row.gpu.id === 't4')
      expect(ofT4.length).toBeGreaterThan(0)
      const arranged = (['single', 'zero2', 'fsdp'] as const).map(strategy => {
        const { precision, inFloat16 } = arrangedSpec(spec, { strategy, gpus: 2 }, 'trainer')
        return [precision, inFloat16]
      })
      expect(arranged).toEqual([
        ['amp-fp16', undefined],
        ['bf16-master', true],
        ['bf16-master', true],
      ])
    },
  )

  it('leaves out nothing that is faster by more than the tolerance, of everything that can be tried', () => {
    const footprints = new FootprintCache()
    for (const card of cards.slice(1)) {
      for (const count of [1, 2, 8]) {
        const fastest = Math.max(...everyRate(plan.spec, card, count, footprints))
        const row = rows.find(each => each.gpu.id === card.id && each.gpus === count)
        // What is not named fits nowhere, or another row dominates it.
        const asGood = rows.some(
          each => each.gpu.id === card.id && each.gpus <= count && each.samplesPerSecond >= fastest * 0.98,
        )
        expect(row !== undefined || asGood || fastest === Number.NEGATIVE_INFINITY, `${count} × ${card.id}`).toBe(true)
        if (row !== undefined) expect(row.samplesPerSecond).toBeGreaterThanOrEqual(fastest * 0.98)
      }
    }
  })

  function everyRate(spec: TrainingSpec, card: SpeedyGpu, count: number, footprints: FootprintCache): number[] {
    const perGpu = 24 / count
    return strategiesFor(spec, count, 'trainer').flatMap(strategy => {
      const arranged = arrangedSpec(spec, { strategy, gpus: count }, 'trainer')
      const probes = new EstimateProbes(arranged, plan.model.config, card, footprints)
      return divisors(perGpu).flatMap(microBatch => {
        const probe = probes.of(microBatch < perGpu)
        const fits = probe.fits(microBatch, marginFor(errorBand(arranged, plan.model.config)))
        return fits ? [(probe.samplesPerSecond(microBatch, perGpu / microBatch) ?? 0) * count] : []
      })
    })
  }
})

describe('what a run costs', () => {
  it('follows from its samples', () => {
    const plan = planOf('gpt2', {}, { samplesPerRun: 500_000 })
    for (const row of rowsOf(plan)) {
      expect(row.run?.costUsd).toBeCloseTo(row.usdPerMillionSamples / 2, 9)
      expect(row.run?.hours).toBeCloseTo(500_000 / row.samplesPerSecond / 3_600, 9)
    }
  })

  it('follows from the hours that the run takes as it is', () => {
    const a10 = findGpu('a10') as SpeedyGpu
    const plan = planOf('gpt2', {}, { cards: [a10], maxGpus: 1, now: { gpu: a10, hoursPerRun: 3 } })
    const [row] = rowsOf(plan)
    const { current } = assess(plan.spec, plan.model.config, assessing(a10))
    const slower = (row?.samplesPerSecond ?? 0) / (current.samplesPerSecond ?? 1)
    expect(row?.run?.hours).toBeCloseTo(3 / slower, 6)
  })

  it('is not told where nobody says how long it is', () => {
    expect(rowsOf(planOf('gpt2')).some(row => row.run !== undefined)).toBe(false)
  })
})

describe('where nothing fits', () => {
  it('says what comes closest and what it lacks', () => {
    const plan = planOf('meta-llama/Llama-3.1-70B', {}, { cards: cards.slice(0, 3), maxGpus: 8 })
    const [section] = plan.sections
    expect(section?.rows).toEqual([])
    expect(section?.closest).toMatchObject({ gpus: 8, gpu: { id: 'l40s' } })
    const { neededBytes = 0, missingBytes = 0 } = section?.closest ?? {}
    expect(missingBytes).toBeGreaterThan(neededBytes - usableBytes(findGpu('l40s') as SpeedyGpu))
  })

  it('has nothing close where no card computes in the precision', () => {
    const plan = planOf('gpt2', {}, { cards: cards.slice(0, 1) })
    expect(plan.sections).toEqual([{ rows: [] }])
  })
})

describe('a bare model', () => {
  const plan = (name: string, options: Partial<PlanOptions> = {}, model = knownModel(name)) => {
    return planTraining(
      { spec: specOf(name), model },
      { cards: cards.slice(3), maxGpus: 2, ...options },
      new FootprintCache(),
    )
  }

  it('is planned in each way of training it, 64 samples a step, and says what was assumed', () => {
    const { sections, effectiveBatch, assumptions } = plan('Qwen/Qwen2.5-0.5B')
    expect(sections.map(({ method }) => method)).toEqual(['full', 'lora', 'qlora'])
    expect(effectiveBatch).toBe(64)
    expect(assumptions.join(' ')).toMatch(/2,048 tokens.*bf16.*AdamW.*64 samples/s)
    for (const { rows } of sections) expect(rows.length).toBeGreaterThan(0)
  })

  it('takes what is said by hand instead', () => {
    const said = ['sequenceLength', 'precision', 'gradientCheckpointing'] as const
    const { sections, effectiveBatch } = plan('Qwen/Qwen2.5-0.5B', { said, effectiveBatch: 8, methods: ['full'] })
    expect(effectiveBatch).toBe(8)
    const [row] = sections[0]?.rows ?? []
    expect(row?.spec).toMatchObject({ sequenceLength: 128, precision: 'fp32', gradientCheckpointing: false })
  })

  it('is planned in the ways that it can be, where it refuses others', () => {
    const name = 'HuggingFaceTB/SmolVLM-Instruct'
    const { config, ...model } = knownModel(name)
    if (config.model_type !== 'idefics3') throw new Error(config.model_type)
    // Without layers in its tower, it lacks some that adapters go on.
    const blind = { ...model, config: { ...config, vision_config: { ...config.vision_config, num_hidden_layers: 0 } } }
    const { sections } = plan(name, { methods: ['full', 'lora'] }, blind)
    expect(sections[0]?.problem).toBeUndefined()
    expect(sections[1]?.problem?.code).toBe('no-such-lora-target')
    expect(() => plan(name, { methods: ['lora'] }, blind)).toThrow('no linear layer named')
  })
})

describe('what a tool cannot do', () => {
  const sharing = (tool: string | undefined, changes: Partial<TrainingSpec> = {}) => {
    const spec = specOf('Qwen/Qwen2.5-1.5B', { ...trained, ...changes })
    const options = { cards, maxGpus: 8, effectiveBatch: 8 }
    return planTraining({ spec, model: knownModel('Qwen/Qwen2.5-1.5B'), dialect: tool }, options, new FootprintCache())
  }
  const strategiesIn = ({ sections }: ReturnType<typeof sharing>) =>
    new Set(sections.flatMap(({ rows }) => rows.map(({ strategy }) => strategy)))

  it('is in no plan of it: LitGPT’s is of one GPU, and says why', () => {
    const plan = sharing('LitGPT', { modelCode: 'litgpt', loop: 'plain' })
    expect(strategiesIn(plan)).toEqual(new Set(['single']))
    expect(plan.assumptions).toEqual([expect.stringContaining('LitGPT')])
  })

  it('is in no plan of it: verl and torchtune shard with FSDP alone, and keep their precision', () => {
    for (const tool of ['verl', 'torchtune']) {
      const plan = sharing(tool, { precision: 'bf16-master', ...(tool === 'verl' && { loop: 'verl' }) })
      expect(strategiesIn(plan)).toEqual(new Set(['single', 'fsdp']))
      for (const { spec } of plan.sections.flatMap(({ rows }) => rows)) {
        expect(spec).toMatchObject({ sharding: 'fsdp', precision: 'bf16-master' })
      }
    }
  })

  it('is in no plan of it: torchtitan has DDP and FSDP, whose groups of GPUs a plan makes anew', () => {
    const changes: Partial<TrainingSpec> = { loop: 'torchtitan', precision: 'bf16-master', sharding: 'fsdp' }
    const plan = sharing('torchtitan', { ...changes, gpus: 4, shardedOver: 2 })
    expect(strategiesFor(specOf('Qwen/Qwen2.5-1.5B', trained), 8, 'torchtitan')).toEqual(['ddp', 'fsdp'])
    expect(strategiesIn(plan)).toContain('fsdp')
    for (const { strategy, spec } of plan.sections.flatMap(({ rows }) => rows)) {
      expect(spec.shardedOver).toBeUndefined()
      expect(spec.precision).toBe(strategy === 'fsdp' ? 'bf16-master' : 'amp-bf16')
    }
  })

  it('is not tried for it: FSDP of DeepSpeed, and what divides the weights that Unsloth’s kernels read', () => {
    const spec = specOf('Qwen/Qwen2.5-1.5B', trained)
    expect(strategiesFor(spec, 8, 'other')).toContain('fsdp')
    expect(strategiesFor(spec, 8, 'deepspeed')).toEqual(['ddp', 'zero1', 'zero2', 'zero3'])
    const lora = { rank: 8, dropout: 0, targets: ['q_proj'] }
    expect(strategiesFor({ ...spec, lora }, 8, 'trainer')).toContain('fsdp')
    expect(strategiesFor({ ...spec, lora, unslothKernels: true }, 8, 'trainer')).toEqual(['ddp'])
    // Lightning's FSDP would have to flatten float32 adapters together with weights in 16 bits.
    const lightning: TrainingSpec = { ...spec, lora, loop: 'lightning', precision: 'bf16' }
    expect(strategiesFor(lightning, 8, 'lightning')).not.toContain('fsdp')
    expect(strategiesFor({ ...lightning, lora: { ...lora, inWeightsType: true } }, 8, 'lightning')).toContain('fsdp')
    expect(strategiesFor({ ...lightning, precision: 'fp32' }, 8, 'lightning')).toContain('fsdp')
    // transformers' Adafactor cannot step with FSDP2's tensors, but with FSDP1's.
    const adafactor: TrainingSpec = { ...spec, optimizer: 'adafactor' }
    expect(strategiesFor(adafactor, 8, 'trainer')).not.toContain('fsdp')
    expect(strategiesFor({ ...adafactor, fsdpVersion: 1 }, 8, 'trainer')).toContain('fsdp')
  })
})

describe('trainings that no plan is made of', () => {
  it.each<[string, Partial<TrainingSpec>]>([
    ['generates completions', { method: onlineMethod({ kind: 'server' }) }],
    ['its sequences among GPUs', { gpus: 4, contextParallel: 2 }],
    ['divides its layers', { gpus: 4, tensorParallel: { gpus: 4, dividesTokens: false } }],
    ['forward and backward passes alone', { step: 'forward-backward' }],
    ['tensorflow.js', { framework: 'tensorflow.js' }],
  ])('are refused: %s', (what, changes) => {
    expect(() => planOf('gpt2', changes)).toThrow(what)
  })
})

function assessing(gpu: SpeedyGpu) {
  return {
    gpu,
    policy: defaultPolicy,
    footprints: new FootprintCache(),
    hoursPerRun: 2,
    runsPerYear: 100,
    catalogue: gpus,
  }
}

describe('"a cheaper GPU is enough"', () => {
  const onH100: readonly [string, Partial<TrainingSpec>][] = [
    ['bert', { task: 'sequence-classification', sequenceLength: 128, microBatch: 32, gradientAccumulation: 1 }],
    ['gpt2', { microBatch: 8, gradientAccumulation: 1 }],
    ['Qwen/Qwen2.5-0.5B', { microBatch: 8, gradientAccumulation: 1, gradientCheckpointing: true }],
    ['Qwen/Qwen2.5-1.5B', { microBatch: 1, gradientAccumulation: 1 }],
  ]
  const h200 = findGpu('h200') as SpeedyGpu
  const b200 = findGpu('b200') as SpeedyGpu
  const said = [h200, b200].flatMap(own =>
    onH100.flatMap(([name, changes]) => {
      const spec = specOf(name, { ...trained, ...changes })
      const { rightSizing, current, recommended } = assess(spec, knownModel(name).config, assessing(own))
      return rightSizing ? [{ name, changes, own, rightSizing, best: recommended ?? current }] : []
    }),
  )

  it('is said of some of these', () => {
    expect(said.length).toBeGreaterThan(0)
  })

  it.each(said)(
    'is the first row of a plan that may choose between both: $name on $own.id',
    ({ name, changes, own, rightSizing }) => {
      const cheaper = findGpu(rightSizing.gpu.id) as SpeedyGpu
      const rows = rowsOf(planOf(name, changes, { cards: [own, cheaper], maxGpus: 1 }))
      expect(rows[0]?.gpu.id).toBe(cheaper.id)
    },
  )

  it.each(said)('holds at the worse ends of both bands: $name on $own.id', ({ rightSizing, best }) => {
    expect(rightSizing.costPerRunRangeUsd?.high).toBeLessThanOrEqual(0.9 * best.costPerRunUsd)
  })

  it.each(said)(
    'is no dearer in a plan over the whole catalogue: $name on $own.id',
    ({ name, changes, own, rightSizing }) => {
      const now = { gpu: own, hoursPerRun: 2 }
      const rows = rowsOf(planOf(name, changes, { cards: gpus, maxGpus: 1, now }))
      expect(rows[0]?.run?.costUsd).toBeLessThanOrEqual(rightSizing.costPerRunUsd * 1.001)
    },
  )
})
