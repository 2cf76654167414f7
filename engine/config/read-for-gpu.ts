/** Scripts ask whether their GPU computes in bf16: a file is read for the one that runs it. */
import { type Gpu, hasBfloat16 } from '../gpus/catalogue.ts'
import type { SuppliedFields } from './fields/supplied.ts'
import { type Explanation, explainConfigAsync, readConfigAsync } from './read.ts'
import type { FileReading, SourceFile } from './reading.ts'
import type { Sources } from './sources.ts'

export interface ReadForGpu {
  /** With what the GPU answers; to be read again in the same way. */
  readonly file: SourceFile
  readonly reading: FileReading
}

/** Without a GPU, one that computes in bf16, as all do since Ampere. */
export function forGpu(gpu: Gpu | undefined, file: SourceFile): SourceFile {
  return gpu === undefined || hasBfloat16(gpu) ? file : { ...file, lacksBf16: true }
}

/** As `readConfigAsync`. Where nobody names a GPU, it is the one that the jobs starting the file ask for. */
export async function readForGpu(
  gpu: Gpu | undefined,
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields,
): Promise<ReadForGpu> {
  const named = forGpu(gpu, file)
  const reading = await readConfigAsync(named, sources, supplied)
  const onAsked = gpu === undefined ? forAskedCard(named, reading) : named
  if (onAsked === named) return { file: named, reading }
  return { file: onAsked, reading: await readConfigAsync(onAsked, sources, supplied) }
}

/** As `explainConfigAsync`, of what `readForGpu` reads. */
export async function explainForGpu(
  gpu: Gpu | undefined,
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields,
): Promise<Explanation> {
  const named = forGpu(gpu, file)
  const explanation = await explainConfigAsync(named, sources, supplied)
  const onAsked = gpu === undefined ? forAskedCard(named, explanation.reading) : named
  return onAsked === named ? explanation : explainConfigAsync(onAsked, sources, supplied)
}

function forAskedCard(file: SourceFile, reading: FileReading): SourceFile {
  const asked = reading.kind === 'training-config' ? reading.askedCard : undefined
  return forGpu(asked?.kind === 'card' ? asked.gpu : undefined, file)
}
