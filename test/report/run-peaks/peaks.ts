/** What is said of one config, with a file beside it, and the configs that most are made from. */
import { analyze } from '../../../engine/analyze.ts'
import { findGpu } from '../../../engine/gpus/catalogue.ts'
import type { AnalysedConfig, Report } from '../../../engine/report/schema.ts'
import { report as reportSchema } from '../../../engine/report/schema.ts'

/** `requirements`: a file beside the config. */
export async function reportOf(text: string, gpu: string, requirements = ''): Promise<Report> {
  const named = findGpu(gpu)
  if (named === undefined) throw new Error(gpu)
  const sources = {
    readFile: async (path: string) => (path === 'requirements.txt' ? requirements : undefined),
    listFolder: async (folder: string) => (folder === '.' ? ['requirements.txt', 'train.yaml'] : []),
  }
  const options = { now: new Date(0), gpu: named, ...(requirements !== '' && { sources }) }
  return reportSchema.parse(await analyze([{ path: 'train.yaml', text }], options))
}

export async function analysed(text: string, gpu = 'a100-40gb', requirements = ''): Promise<AnalysedConfig> {
  const [config] = (await reportOf(text, gpu, requirements)).configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return config
}

/** One sample at a time with checkpointing; evaluated in the Trainer's default batches of 8. */
export const trainer = `model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 1
gradient_accumulation_steps: 16
bf16: true
block_size: 2048
gradient_checkpointing: true
`
export const evaluated = `${trainer}eval_strategy: steps\n`
