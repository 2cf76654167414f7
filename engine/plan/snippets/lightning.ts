/**
 * Lightning 2.6: arguments of its Trainer (pytorch/trainer/trainer.py), in the YAML of its command line or in a script. It starts the
 * processes of one server itself; on several, each server starts them with torchrun (plugins/environments/torchelastic.py).
 */
import type { Strategy } from '../strategy.ts'
import { torchrun } from './launch.ts'
import { formOf, linesIn } from './lines.ts'
import { serversOf } from './servers.ts'
import type { Snippet, Snippeted } from './snippet.ts'

const names: Readonly<Record<Strategy, string>> = {
  single: 'auto',
  ddp: 'ddp',
  fsdp: 'fsdp',
  zero1: 'deepspeed_stage_1',
  zero2: 'deepspeed_stage_2',
  zero3: 'deepspeed_stage_3',
}

export function lightningSnippet(row: Snippeted): Snippet {
  const { microBatch, gradientAccumulation, strategy, gpus, config, batchSetting } = row
  const { servers, each } = serversOf(gpus)
  const form = formOf(config)
  const batch = form === 'python' ? 'batch_size' : (batchSetting ?? 'data.init_args.batch_size')
  const lines = linesIn(config, [
    { path: ['trainer', 'devices'], value: each },
    ...(servers > 1 ? [{ path: ['trainer', 'num_nodes'] as const, value: servers }] : []),
    { path: ['trainer', 'strategy'], value: names[strategy] },
    { path: ['trainer', 'accumulate_grad_batches'], value: gradientAccumulation },
    { path: batch.split('.') as [string, ...string[]], value: microBatch },
  ])
  const started = form === 'python' ? config : `train.py fit --config ${config}`
  return {
    files: [{ path: config, text: lines }],
    command: servers > 1 ? torchrun(gpus, started) : `python ${started}`,
    ...(form === 'python' && { notes: ['batch_size is the DataLoader’s; the other arguments are the Trainer’s.'] }),
  }
}
