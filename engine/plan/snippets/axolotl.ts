/**
 * Axolotl: lines of its config (axolotl 0.18 utils/schemas: config.py, fsdp.py; cli/launchers/torchrun.py), and
 * DeepSpeed's settings where it takes them.
 */
import { deepSpeedFile } from './deepspeed.ts'
import { serversOf } from './servers.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function axolotlSnippet(row: Snippeted): Snippet {
  const { microBatch, gradientAccumulation, gradientCheckpointing, strategy, gpus, config } = row
  const deepSpeed = deepSpeedFile(strategy)
  const lines = [
    `micro_batch_size: ${microBatch}`,
    `gradient_accumulation_steps: ${gradientAccumulation}`,
    `gradient_checkpointing: ${gradientCheckpointing}`,
    ...(deepSpeed === undefined ? [] : [`deepspeed: ${deepSpeed.path}`]),
    ...(strategy === 'fsdp' ? fsdpLines(row) : []),
  ]
  const { servers, each } = serversOf(gpus)
  const several = servers > 1 ? ` --nnodes=${servers} --rdzv_backend=c10d --rdzv_endpoint=<first server>` : ''
  return {
    files: [{ path: config, text: lines.join('\n') }, ...(deepSpeed === undefined ? [] : [deepSpeed])],
    command: `axolotl train ${config} --launcher torchrun -- --nproc_per_node=${each}${several}`,
  }
}

function fsdpLines({ spec, gpus }: Snippeted): readonly string[] {
  const version = spec.fsdpVersion ?? 2
  return [
    `fsdp_version: ${version}`,
    ...(version === 2 ? [`dp_shard_size: ${gpus}`] : []),
    'fsdp_config:',
    ...(version === 2 ? ['  reshard_after_forward: true'] : ['  sharding_strategy: FULL_SHARD']),
    '  auto_wrap_policy: TRANSFORMER_BASED_WRAP',
    '  state_dict_type: SHARDED_STATE_DICT',
  ]
}
