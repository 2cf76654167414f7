/** How a quantised model comes onto the GPUs that divide it, and what of it they divide. */
import { isFsdp, type Quantization } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { isBefore } from '../../training/versions.ts'
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'
import { isStoredQuantized } from './stored-quantization.ts'

export interface Quantized extends Pick<TrainingSpec, 'sharding' | 'fsdpVersion'> {
  readonly gpus: number | undefined
  readonly quantization: Quantization | undefined
  /** The type of what is not quantised, where it is written. */
  readonly weights?: Field | undefined
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
export function keptWhole(reader: FieldReader, quantized: Quantized): TrainingSpec['wholeQuantized'] {
  const { quantization, storage, sharding, fsdpVersion } = quantized
  if (quantization === undefined || !byBitsandbytes.has(quantization)) return undefined
  if (sharding === 'zero3') return 'constants'
  if (!isFsdp(sharding)) return undefined
  const isFsdp2 = (fsdpVersion ?? (isBefore(reader.versions, 'transformers', '5.0') ? 1 : 2)) === 2
  if (!isFsdp2) refuseUnflattenable(reader, quantization, quantized)
  if (!isFsdp2 || quantization === 'int8' || isInFloats(storage)) return 'constants'
  reader.assume(
    'Every GPU keeps all 4-bit weights: FSDP2 divides them only with a bnb_4bit_quant_storage of floats, such as bfloat16.',
  )
  return 'all'
}

/** torch 2.13 distributed/fsdp/_flat_param.py _validate_tensors_to_flatten: all tensors of a unit are floats of one type. */
function refuseUnflattenable(
  reader: FieldReader,
  quantization: Quantization,
  { storage, weights, gpus }: Quantized,
): void {
  if (gpus === 1) return
  const bits = quantization === 'int8' ? '8-bit' : '4-bit'
  const version =
    'use FSDP2 (fsdp_version: 2 for accelerate and Axolotl, version: 2 in the fsdp_config of transformers)'
  if (quantization === 'int8' || !isInFloats(storage)) {
    const inFloats = quantization === 'int8' ? 'Use 4-bit weights, or ' : 'Set bnb_4bit_quant_storage to bfloat16, or '
    const message = `FSDP1 does not divide ${bits} weights that are packed in integers (“Cannot flatten integer dtype tensors”), so the training would not start`
    reader.refuse(storage === 'floats' ? undefined : storage, 'unsupported-setting', message, `${inFloats}${version}.`)
    return
  }
  const [packed, others] = [floatIn(storage), floatIn(weights)]
  if (packed === undefined || others === undefined || packed === others) return
  const message = `FSDP1 does not divide 4-bit weights that are packed in ${packed} together with others in ${others} (“Must flatten tensors with uniform dtype”), so the training would not start`
  reader.refuse(weights, 'unsupported-setting', message, `Load the model in ${packed}, or ${version}.`)
}

const floats = new Map([
  ['bf16', 'bfloat16'],
  ['fp16', 'float16'],
  ['fp32', 'float32'],
])

function floatIn(type: Quantized['storage']): string | undefined {
  if (type === undefined || type === 'floats' || type.value.kind !== 'text') return undefined
  const name = type.value.text.replace(/^torch\./, '')
  return floats.get(name) ?? [...floats.values()].find(float => float === name)
}

function isInFloats(storage: Quantized['storage']): boolean {
  if (storage === undefined || storage === 'floats') return storage === 'floats'
  return storage.value.kind === 'text' && /float|bf16|fp16|fp32/.test(storage.value.text)
}
