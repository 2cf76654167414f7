/** LLaMA-Factory. Sources: src/llamafactory/hparams/{model_args,finetuning_args,data_args}.py; examples/deepspeed/ of its repository. */
import { halfLength } from '../reduced.ts'
import { offloadedFsdp } from './fsdp.ts'
import { one, type Tool } from './tool.ts'
import { trainerBatch, trainerOptimizers } from './trainer.ts'

export const llamafactory: Tool = {
  ...trainerBatch,
  'gradient-checkpointing': () => one('disable_gradient_checkpointing', false),
  'fused-loss': () => one('enable_liger_kernel', true),
  'sdpa-attention': () => one('flash_attn', 'sdpa'),
  'flash-attention': () => one('flash_attn', 'fa2'),
  ...trainerOptimizers('optim'),
  'bf16-autocast': () => one('bf16', true),
  'fp16-autocast': () => one('fp16', true),
  // hparams/parser.py refuses mixed precision beside it.
  'bf16-weights': ({ has }) => [
    ...['bf16', 'fp16'].filter(has).flatMap(key => one(key, false)),
    ...one('pure_bf16', true),
  ],
  lora: () => [...one('finetuning_type', 'lora'), ...one('lora_target', 'all')],
  qlora: () => [...one('finetuning_type', 'lora'), ...one('lora_target', 'all'), ...one('quantization_bit', 4)],
  '4-bit-base': () => one('quantization_bit', 4),
  'half-length': ({ spec }) => one('cutoff_len', halfLength(spec)),
  'zero-2': () => one('deepspeed', 'examples/deepspeed/ds_z2_config.json'),
  'zero-2-offload': () => one('deepspeed', 'examples/deepspeed/ds_z2_offload_config.json'),
  'zero-3': () => one('deepspeed', 'examples/deepspeed/ds_z3_config.json'),
  'zero-3-offload': () => one('deepspeed', 'examples/deepspeed/ds_z3_offload_config.json'),
  'fsdp-offload': offloadedFsdp,
}
