/** A config beside the jobs of its repository. */
import { type AnalyzeOptions, analyze } from '../../../engine/analyze.ts'

export const sft =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\nper_device_train_batch_size: 8\nmax_length: 512\nlearning_rate: 1.0e-5\nbf16: true\n'

/** `jobs`: their text by path. */
export async function judged(
  jobs: Record<string, string>,
  options: Partial<AnalyzeOptions> = {},
  path = 'sft.yaml',
  text = sft,
) {
  const files: Record<string, string> = { [path]: text, ...jobs }
  const listFolder = async (folder: string) =>
    Object.keys(files).flatMap(name => {
      const at = name.lastIndexOf('/')
      return (at < 0 ? '.' : name.slice(0, at)) === folder ? [name.slice(at + 1)] : []
    })
  const sources = { readFile: async (name: string) => files[name], listFolder }
  const { configs } = await analyze([{ path, text }], { now: new Date('2026-03-01'), sources, ...options })
  const [config] = configs
  if (configs.length !== 1 || config?.status !== 'analysed') throw new Error(JSON.stringify(configs))
  return config
}
