/**
 * How far the tape is from PyTorch: its peak against the trace of the same step, over cells that span families, batch sizes,
 * sequence lengths, step profiles, optimizers and precisions; and against the published GPU readings.
 * Needs Python with torch and transformers: MEMORYMARK_PYTHON names the interpreter (default python3).
 */
import { ESTIMATE_BAND_PERCENT } from '../engine/assess.ts'
import type { TrainingSpec } from '../engine/config/spec.ts'
import { Footprint } from '../engine/estimate/footprint.ts'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import { type CatalogueModel, findModel } from '../engine/models/catalogue.ts'
import { EstimateProbe } from '../engine/probes/estimate.ts'
import { pythonVersions, trace } from '../engine/probes/trace.ts'
import { PythonWorker } from '../engine/probes/worker.ts'
import { Grid } from '../engine/search/grid.ts'
import { largestBatch } from '../engine/search/largest.ts'
import { GIB } from '../engine/units.ts'

const LIMITS = { medianPercent: 2, worstPercent: 6, publishedPercent: 3, cells: 30 }

type Cell = readonly [model: string, changes: Partial<TrainingSpec>]

const lm = { task: 'causal-lm' } as const
const mlm = { task: 'masked-lm' } as const
const cells: readonly Cell[] = [
  ['bert', { microBatch: 1 }],
  ['bert', { microBatch: 8 }],
  ['bert', { microBatch: 128 }],
  ['bert', { microBatch: 16, step: 'forward-backward' }],
  ['bert', { microBatch: 288, step: 'forward-backward' }],
  ['bert', { microBatch: 32, sequenceLength: 512 }],
  ['bert', { microBatch: 32, sequenceLength: 384, paddedBatches: true, loop: 'trainer' }],
  ['bert', { microBatch: 16, sequenceLength: 512, attention: 'eager' }],
  ['bert', { microBatch: 16, sequenceLength: 512, attention: 'eager', precision: 'amp-bf16' }],
  ['bert', { microBatch: 32, optimizer: 'adamw-fused' }],
  ['bert', { microBatch: 2, optimizer: 'adamw-loop' }],
  ['bert', { microBatch: 2, optimizer: 'sgd' }],
  ['bert', { microBatch: 32, optimizer: 'sgd-momentum', gradientAccumulation: 4 }],
  ['bert', { microBatch: 64, precision: 'bf16' }],
  ['bert', { microBatch: 64, precision: 'amp-bf16', loop: 'trainer' }],
  ['bert', { microBatch: 64, precision: 'amp-fp16', gradientCheckpointing: true }],
  ['bert', { microBatch: 16, ...mlm }],
  ['bert', { microBatch: 16, ...mlm, precision: 'bf16', loop: 'trainer' }],
  ['google-bert/bert-large-cased', { microBatch: 16, gradientCheckpointing: true }],
  ['google-bert/bert-large-uncased', { microBatch: 8, sequenceLength: 512, gradientAccumulation: 2 }],
  ['google-bert/bert-base-multilingual-cased', { microBatch: 8, ...mlm }],
  ['FacebookAI/roberta-base', { microBatch: 32, sequenceLength: 256 }],
  ['FacebookAI/roberta-base', { microBatch: 8, sequenceLength: 512, ...mlm, loop: 'trainer' }],
  ['FacebookAI/roberta-large', { microBatch: 16, precision: 'amp-bf16', loop: 'trainer' }],
  ['distilbert/distilbert-base-uncased', { microBatch: 64 }],
  ['distilbert/distilbert-base-uncased', { microBatch: 16, sequenceLength: 512, ...mlm }],
  ['distilbert/distilroberta-base', { microBatch: 32, gradientCheckpointing: true, loop: 'trainer' }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, ...lm }],
  ['gpt2', { microBatch: 1, sequenceLength: 128, ...lm }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, ...lm, loop: 'trainer' }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, ...lm, step: 'forward-backward' }],
  ['gpt2', { microBatch: 4, sequenceLength: 1024, ...lm, attention: 'eager' }],
  ['gpt2', { microBatch: 4, sequenceLength: 1024, ...lm, attention: 'eager', precision: 'amp-bf16' }],
  ['gpt2', { microBatch: 8, sequenceLength: 512, ...lm, precision: 'bf16' }],
  ['gpt2', { microBatch: 8, sequenceLength: 1024, ...lm, precision: 'amp-bf16', gradientCheckpointing: true }],
  ['gpt2', { microBatch: 16, sequenceLength: 256, task: 'sequence-classification', paddedBatches: true }],
  ['openai-community/gpt2-medium', { microBatch: 4, sequenceLength: 1024, ...lm, optimizer: 'adamw-fused' }],
  ['openai-community/gpt2-large', { microBatch: 2, sequenceLength: 1024, ...lm, gradientCheckpointing: true }],
  ['openai-community/gpt2-xl', { microBatch: 1, sequenceLength: 1024, ...lm, precision: 'bf16', optimizer: 'sgd' }],
  ['distilbert/distilgpt2', { microBatch: 8, sequenceLength: 512, ...lm, gradientAccumulation: 8 }],
  ['microsoft/resnet-18', { microBatch: 64 }],
  ['microsoft/resnet-34', { microBatch: 32, optimizer: 'sgd-momentum' }],
  ['resnet', { microBatch: 32 }],
  ['resnet', { microBatch: 64, step: 'forward-backward' }],
  ['resnet', { microBatch: 32, precision: 'amp-bf16', optimizer: 'sgd-momentum' }],
  ['resnet', { microBatch: 8, imageSize: 448, precision: 'bf16' }],
  ['microsoft/resnet-101', { microBatch: 32, optimizer: 'sgd' }],
  ['microsoft/resnet-152', { microBatch: 16, labels: 1000 }],
]

/** The product page's readings of BERT on an A10 (22.1 GiB), step profile forward-backward: GiB by batch size. */
const published = { batchBytes: [[8, 1.04], [16, 1.62], [288, 21.33]] as const, largest: 288 } // biome-ignore format: a table

function specOf(model: CatalogueModel, changes: Partial<TrainingSpec>): TrainingSpec {
  return {
    model: model.id,
    task: model.defaultTask,
    framework: 'pytorch',
    step: 'training',
    microBatch: 8,
    gradientAccumulation: 1,
    gpus: 1,
    sequenceLength: 128,
    imageSize: 224,
    labels: 2,
    precision: 'fp32',
    optimizer: 'adamw',
    attention: 'sdpa',
    gradientCheckpointing: false,
    paddedBatches: false,
    loop: 'plain',
    ...changes,
  }
}

function catalogued(name: string): CatalogueModel {
  const model = findModel(name)
  if (model === undefined) throw new Error(`the catalogue lacks ${name}`)
  return model
}

async function againstTrace(worker: PythonWorker): Promise<number[]> {
  const errors: number[] = []
  for (const [name, changes] of cells) {
    const model = catalogued(name)
    const spec = specOf(model, changes)
    const answer = await trace(worker, spec, model.config)
    if (answer.kind !== 'done') throw new Error(`${name} ${JSON.stringify(changes)}: ${JSON.stringify(answer)}`)
    // The meta device has no cuBLAS, so its workspace is left out on our side too.
    const estimated = new Footprint(spec, model.config).peak(spec.microBatch, 0).bytes
    const percent = 100 * (estimated / answer.result.peakBytes - 1)
    errors.push(Math.abs(percent))
    const figures = [answer.result.peakBytes, estimated].map(bytes => (bytes / GIB).toFixed(3).padStart(7))
    console.log(`${figures.join(' ')} ${signed(percent)}  ${name} ${JSON.stringify(changes)}`)
  }
  return errors
}

function againstPublished(): boolean {
  const bert = catalogued('bert')
  const probe = new EstimateProbe(new Footprint(specOf(bert, { step: 'forward-backward' }), bert.config), defaultGpu)
  const errors = published.batchBytes.map(([batch, gib]) => {
    const percent = 100 * (probe.peak(batch).bytes / GIB / gib - 1)
    console.log(
      `published ${gib} GiB at batch ${batch}, estimated ${(probe.peak(batch).bytes / GIB).toFixed(3)}: ${signed(percent)}`,
    )
    return Math.abs(percent)
  })
  const largest = largestBatch(probe, new Grid())
  console.log(`published largest batch ${published.largest}, estimated ${largest}`)
  return largest === published.largest && Math.max(...errors) <= LIMITS.publishedPercent
}

function signed(percent: number): string {
  return `${percent < 0 ? '' : '+'}${percent.toFixed(2)} %`
}

await using worker = new PythonWorker(process.env.MEMORYMARK_PYTHON ?? 'python3')
const versions = await pythonVersions(worker)
if (versions.kind !== 'done') throw new Error(`no trace without torch and transformers: ${JSON.stringify(versions)}`)
console.log(`torch ${versions.result.torch}, transformers ${versions.result.transformers}; GiB traced, GiB estimated`)
const errors = (await againstTrace(worker)).toSorted((a, b) => a - b)
const matchesPublished = againstPublished()
const median = errors[Math.floor(errors.length / 2)] ?? Number.POSITIVE_INFINITY
const worst = errors.at(-1) ?? Number.POSITIVE_INFINITY
const holds =
  matchesPublished &&
  errors.length >= LIMITS.cells &&
  median <= LIMITS.medianPercent &&
  worst <= Math.min(LIMITS.worstPercent, ESTIMATE_BAND_PERCENT)
process.exitCode = holds ? 0 : 1
console.log(
  `${errors.length} cells: median ${median.toFixed(2)} %, worst ${worst.toFixed(2)} %; ` +
    `published readings ${matchesPublished ? 'within' : 'outside'} ${LIMITS.publishedPercent} %: ${holds ? 'holds' : 'falls short'}`,
)
