/** torchtitan 0.2.2: torchtitan/config/job_config.py; run_train.sh starts the processes of one server, torchrun those of several. */
import { effectiveBatch } from '../../training/batches.ts'
import { torchrun } from './launch.ts'
import { formOf, linesIn } from './lines.ts'
import { serversOf } from './servers.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function torchtitanSnippet({ microBatch, strategy, gpus, spec, config }: Snippeted): Snippet {
  const isSharded = strategy === 'fsdp'
  const lines = linesIn(config, [
    { path: ['training', 'local_batch_size'], value: microBatch },
    { path: ['training', 'global_batch_size'], value: effectiveBatch(spec) },
    { path: ['parallelism', 'data_parallel_replicate_degree'], value: isSharded ? 1 : gpus },
    { path: ['parallelism', 'data_parallel_shard_degree'], value: isSharded ? gpus : 1 },
  ])
  const { servers } = serversOf(gpus)
  const file = `--job.config_file ${config}`
  const given = formOf(config) === 'shell' ? '<its other settings>' : file
  const command =
    servers > 1 || formOf(config) === 'shell'
      ? torchrun(gpus, `-m torchtitan.train ${given}`)
      : `CONFIG_FILE=${config} NGPU=${gpus} ./run_train.sh`
  return { files: [{ path: config, text: lines }], command }
}
