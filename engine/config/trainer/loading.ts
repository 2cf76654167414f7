/** How a quantised model comes onto the GPUs that divide it, and what of it they divide. */
import type { FieldReader } from '../fields.ts'
import type { Field } from '../section.ts'
import { isFsdp, type Quantization, type TrainingSpec } from '../spec.ts'
import { isBefore } from '../versions.ts'
import { isStoredQuantized } from './stored-quantization.ts'

export interface Quantized extends Pick<TrainingSpec, 'sharding' | 'fsdpVersion'> {
  readonly quantization: Quantization | undefined
  /** `bnb_4bit_quant_storage`, the type in whose elements 4-bit weights are packed; uint8 where absent. */
  readonly storage: Field | 'floats' | undefined
}

const byBitsandbytes: ReadonlySet<Quantization> = new Set(['nf4', 'nf4-double', 'int8'] as const)

/**
 * Whether every GPU holds all weights before they are divided, as transformers 5.18 and DeepSpeed 0.19 have it. bitsandbytes'
 * quantizer loads onto the current GPU (quantizers/quantizer_bnb_4bit.py update_device_map), and a quantised model is not built under
 * zero.Init (modeling_utils.py get_init_context), so that DeepSpeed moves all of it to the GPU before it partitions it
 * (runtime/engine.py _configure_distributed_model). transformers 4.39 to 4.57 moved each quantised weight to the host
 * (transformers#29587), from where FSDP takes its shard; DeepSpeed moves it back as a whole.
 */
export function loadsWhole({ versions }: FieldReader, { quantization, sharding }: Quantized): true | undefined {
  if (quantization === undefined || !byBitsandbytes.has(quantization)) return undefined
  if (sharding === 'zero3') return true
  const waitsOnHost = isBefore(versions, 'transformers', '5.0') && !isBefore(versions, 'transformers', '4.39')
  return isFsdp(sharding) && !waitsOnHost ? true : undefined
}

/** Whether bitsandbytes quantises what the checkpoint has in 16 bits, and not GPTQ, AWQ or the checkpoint itself. */
export function quantizesOnLoad(quantization: Quantization | undefined, model: Field | undefined): true | undefined {
  return quantization !== undefined && byBitsandbytes.has(quantization) && !isStoredQuantized(model) ? true : undefined
}

/**
 * The constants are no parameters (bitsandbytes nn/modules.py Params4bit.quant_state, Int8Params.SCB), so that neither DeepSpeed nor
 * FSDP divides them. From accelerate 1.14 on, FSDP2 also leaves out 4-bit weights that are packed in integers (utils/fsdp_utils.py
 * fsdp2_prepare_model); earlier it failed on them, as FSDP1 does.
 */
export function keptWhole(
  reader: FieldReader,
  { quantization, storage, sharding, fsdpVersion }: Quantized,
): TrainingSpec['wholeQuantized'] {
  if (quantization === undefined || !byBitsandbytes.has(quantization)) return undefined
  if (sharding === 'zero3') return 'constants'
  if (!isFsdp(sharding)) return undefined
  const isFsdp2 = (fsdpVersion ?? (isBefore(reader.versions, 'transformers', '5.0') ? 1 : 2)) === 2
  if (!isFsdp2 || quantization === 'int8' || isInFloats(storage)) return 'constants'
  reader.assume(
    'Every GPU keeps all 4-bit weights: FSDP2 divides them only with a bnb_4bit_quant_storage of floats, such as bfloat16.',
  )
  return 'all'
}

function isInFloats(storage: Quantized['storage']): boolean {
  if (storage === undefined || storage === 'floats') return storage === 'floats'
  return storage.value.kind === 'text' && /float|bf16|fp16|fp32/.test(storage.value.text)
}
