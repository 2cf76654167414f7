/**
 * What is on the GPU while transformers loads a checkpoint of 16-bit weights that bitsandbytes quantises on the way, and while
 * peft's prepare_model_for_kbit_training then casts what is left of them. Sources: transformers 5.18 core_model_loading.py
 * convert_and_load_state_dict_in_model and integrations/bitsandbytes.py, peft 0.21 utils/other.py, bitsandbytes 0.50 nn/modules.py.
 */
import type { TrainingSpec } from '../training/spec.ts'
import { copiesForEightBits } from './library-rules.ts'
import { REFERENCE } from './tape/autograd.ts'
import { countOf } from './tape/repetition.ts'
import { bytesPerElement, elements, type Tensor } from './tape/storage.ts'
import type { Tape } from './tape/tape.ts'

export interface Loading {
  /** One weight after the other is loaded in 16 bits and quantised, and one after the other is cast; in bytes. */
  readonly oneByOne: number
  /** All weights in 16 bits, in bytes: where several threads load them, any number of them waits to be quantised. */
  readonly inFull: number
}

export function loadingOf(tape: Tape, spec: TrainingSpec): Loading {
  const others = [...tape.parameters]
    .filter(([name, { requiresGrad }]) => !requiresGrad && !name.startsWith(REFERENCE))
    .map(([, parameter]) => parameter)
  const loaded = others.reduce((sum, other) => sum + countOf(other.storage.turn) * inSixteenBits(elements(other)), 0)
  let [quantized, wide, widest] = [0, 0, 0]
  const bytesPerWeight = spec.quantization === 'int8' ? 1 : 1 / 2
  for (const [{ turn }, { weights, constants, matrices }] of tape.quantizedMatrices) {
    const inFull = inSixteenBits(weights / bytesPerWeight)
    quantized += countOf(turn) * (weights + constants)
    wide += countOf(turn) * inFull
    widest = Math.max(widest, inFull / matrices)
  }
  // Params4bit and Int8Params quantise from 16 bits on the GPU, beside which the result is made.
  const converting = quantized + loaded + widest * (copiesForEightBits(spec) ? 2 : 1)
  return { oneByOne: Math.max(converting, quantized + castingBytes(others, loaded)), inFull: wide + loaded }
}

/** The most while each weight that the training has in float32 is copied from 16 bits, in the order of the model. */
function castingBytes(others: readonly Tensor[], loaded: number): number {
  let [held, most] = [loaded, loaded]
  for (const other of others) {
    if (other.dtype !== 'float32') continue
    const growth = (bytesPerElement.float32 - bytesPerElement.bfloat16) * elements(other)
    const copies = countOf(other.storage.turn)
    most = Math.max(most, held + (copies - 1) * growth + bytesPerElement.float32 * elements(other))
    held += copies * growth
  }
  return most
}

function inSixteenBits(count: number): number {
  return count * bytesPerElement.bfloat16
}
