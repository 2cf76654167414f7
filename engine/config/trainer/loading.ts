/** How a quantised model comes onto the GPUs that divide it. */
import type { FieldReader } from '../fields.ts'
import { isFsdp, type Quantization, type Sharding } from '../spec.ts'
import { isBefore } from '../versions.ts'

const byBitsandbytes: ReadonlySet<Quantization> = new Set(['nf4', 'nf4-double', 'int8'] as const)

/**
 * Whether every GPU holds all weights before they are divided, as transformers 5.18 and DeepSpeed 0.19 have it. bitsandbytes'
 * quantizer loads onto the current GPU (quantizers/quantizer_bnb_4bit.py update_device_map), and a quantised model is not built under
 * zero.Init (modeling_utils.py get_init_context), so that DeepSpeed moves all of it to the GPU before it partitions it
 * (runtime/engine.py _configure_distributed_model). transformers 4.39 to 4.57 moved each quantised weight to the host
 * (transformers#29587), from where FSDP takes its shard; DeepSpeed moves it back as a whole.
 */
export function loadsWhole(
  { versions }: FieldReader,
  quantization: Quantization | undefined,
  sharding: Sharding | undefined,
): true | undefined {
  if (quantization === undefined || !byBitsandbytes.has(quantization)) return undefined
  if (sharding === 'zero3') return true
  const waitsOnHost = isBefore(versions, 'transformers', '5.0') && !isBefore(versions, 'transformers', '4.39')
  return isFsdp(sharding) && !waitsOnHost ? true : undefined
}
