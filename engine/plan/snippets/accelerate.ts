/**
 * Accelerate's launch settings (accelerate 1.15 commands/config/config_args.py; fsdp_config's keys:
 * utils/dataclasses.py, FullyShardedDataParallelPlugin). A Trainer takes the sharding from them.
 */
import { computesInBfloat16, computesInFloat32 } from '../../training/choices.ts'
import { deepSpeedFile } from './deepspeed.ts'
import { serversOf } from './servers.ts'
import type { Snippeted, SnippetFile } from './snippet.ts'

const PATH = 'accelerate.yaml'

/** With the file of DeepSpeed's settings that it names, if it does. */
export function accelerateFiles({ strategy, gpus, spec }: Snippeted): readonly SnippetFile[] {
  const { servers } = serversOf(gpus)
  const deepSpeed = deepSpeedFile(strategy)
  const common = (type: string) => [
    'compute_environment: LOCAL_MACHINE',
    `distributed_type: ${type}`,
    `num_machines: ${servers}`,
    `num_processes: ${gpus}`,
  ]
  // With a file of settings, DeepSpeed takes the precision from there and from the training's arguments.
  if (deepSpeed !== undefined) {
    const lines = [...common('DEEPSPEED'), 'deepspeed_config:', `  deepspeed_config_file: ${deepSpeed.path}`]
    const zero3 = strategy === 'zero3' ? ['  zero3_init_flag: true'] : []
    return [{ path: PATH, text: [...lines, ...zero3].join('\n') }, deepSpeed]
  }
  const mixed = `mixed_precision: ${mixedPrecisionOf(spec)}`
  if (strategy === 'fsdp') {
    const lines = [
      ...common('FSDP'),
      mixed,
      'fsdp_config:',
      `  fsdp_version: ${spec.fsdpVersion ?? 2}`,
      ...(spec.fsdpVersion === 1 ? ['  fsdp_sharding_strategy: FULL_SHARD'] : ['  fsdp_reshard_after_forward: true']),
      '  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP',
      '  fsdp_state_dict_type: SHARDED_STATE_DICT',
    ]
    return [{ path: PATH, text: lines.join('\n') }]
  }
  return [{ path: PATH, text: [...common(strategy === 'ddp' ? 'MULTI_GPU' : 'NO'), mixed].join('\n') }]
}

export function accelerateLaunch({ gpus }: Pick<Snippeted, 'gpus'>, script: string): string {
  const { servers } = serversOf(gpus)
  const several = servers > 1 ? ' --machine_rank <this server> --main_process_ip <first server>' : ''
  return `accelerate launch --config_file ${PATH}${several} ${script}`
}

function mixedPrecisionOf(spec: Snippeted['spec']): 'no' | 'bf16' | 'fp16' {
  if (computesInFloat32(spec)) return 'no'
  return computesInBfloat16(spec) ? 'bf16' : 'fp16'
}
