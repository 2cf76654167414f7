/** Job files, each alone beside a config: on which GPU they start it, and on how many. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { readConfigAsync } from '../engine/config/read.ts'
import type { SourceFile } from '../engine/config/reading.ts'

const config: SourceFile = {
  path: 'sft.yaml',
  text: 'model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 8\nlearning_rate: 1.0e-5\nmax_length: 512\nbf16: true\n',
}

/** Null where it starts nothing, names none, or leaves a choice. */
const expectation = z.object({ path: z.string(), gpu: z.string().nullable(), gpus: z.number().nullable() })
type Expectation = z.infer<typeof expectation>

export interface AskedGpus {
  readonly total: number
  /** What differs, one sentence each. */
  readonly wrong: readonly string[]
}

export async function readAskedGpus(corpus: URL): Promise<AskedGpus> {
  const textOf = (path: string) => readFileSync(new URL(path, corpus), 'utf8')
  const all = z.array(expectation).parse(JSON.parse(textOf('jobs.json')))
  const wrong = await Promise.all(
    all.map(expected => differencesIn({ path: expected.path, text: textOf(`jobs/${expected.path}`) }, expected)),
  )
  return { total: all.length, wrong: wrong.flat() }
}

async function differencesIn(job: SourceFile, { path, gpu, gpus }: Expectation): Promise<readonly string[]> {
  const files = new Map([config, job].map(file => [file.path, file.text]))
  const reading = await readConfigAsync(path.endsWith('.py') ? job : config, {
    readFile: async name => files.get(name),
    listFolder: async folder => (folder === '.' ? [...files.keys()] : []),
  })
  if (reading.kind !== 'training-config') return [`jobs/${path}: it is ${reading.kind}`]
  const { askedCard, assumesGpus, spec } = reading
  const found = {
    gpu: askedCard?.kind === 'card' ? askedCard.gpu.id : null,
    gpus: assumesGpus === true ? null : spec.gpus,
  }
  return [
    ...(found.gpu === gpu ? [] : [`jobs/${path}: the GPU is ${found.gpu} instead of ${gpu}`]),
    ...(found.gpus === gpus ? [] : [`jobs/${path}: it trains on ${found.gpus} GPUs instead of ${gpus}`]),
  ]
}
