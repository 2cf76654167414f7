/** How Axolotl holds weights: quantised or fake-quantised, and in which precision. */
import { isFsdp, type Precision } from '../../../training/choices.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import { isBefore } from '../../../training/versions.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { type ComputedIn, computedIn, inFloat16 } from '../../trainer/autocast.ts'
import { isOn } from '../../trainer/method.ts'
import type { Sharded } from '../../trainer/sharding.ts'
import { storedQuantization } from '../../trainer/stored-quantization.ts'

/**
 * loaders/model.py: qlora with load_in_4bit gets nf4 with double quantisation, unless bnb_config_kwargs say otherwise. Beside lora, the
 * setting goes on to from_pretrained as it is: transformers 4 makes 4 bits of it by bitsandbytes' defaults, constants whole, and
 * transformers 5 nothing.
 */
export function readQuantization(reader: FieldReader, document: Section, hasAdapter: boolean) {
  const eight = document.at('load_in_8bit')
  if (eight !== undefined && reader.flag(eight) === true && hasAdapter) {
    return reader.note('quantization', 'int8' as const, eight)
  }
  const isPlain = isBesideLora(reader, document)
  const four = isPlain && leavesWhole(reader) ? undefined : document.at('load_in_4bit')
  const gptq = document.at('gptq')
  if (isOn(reader, gptq)) {
    if (hasAdapter) return reader.note('quantization', 'gptq' as const, gptq)
    const message = 'GPTQ weights cannot be trained without an adapter'
    return reader.refuse(gptq, 'quantised-without-adapter', message, 'Set adapter: lora.')
  }
  if (four === undefined || reader.flag(four) !== true) {
    return storedQuantization(reader, document.at('base_model'), hasAdapter)
  }
  if (hasAdapter) return reader.note('quantization', isPlain || isSingle(reader, document) ? 'nf4' : 'nf4-double', four)
  return reader.refuse(
    four,
    'quantised-without-adapter',
    '4-bit weights cannot be trained without an adapter',
    'Set adapter: qlora, or load_in_4bit: false.',
  )
}

/** The other keys say how the 4 bits are stored, not whether. */
function isSingle(reader: FieldReader, document: Section): boolean {
  for (const key of ['bnb_4bit_compute_dtype', 'bnb_4bit_quant_type', 'bnb_4bit_quant_storage'])
    document.at('bnb_config_kwargs', key)
  const double = document.at('bnb_config_kwargs', 'bnb_4bit_use_double_quant')
  return double !== undefined && reader.flag(double) === false
}

function isBesideLora(reader: FieldReader, document: Section): boolean {
  const four = document.fields.get('load_in_4bit')
  return reader.text(document.at('adapter')) === 'lora' && four?.value.kind === 'flag' && four.value.flag
}

/** Unread then, so that the setting is named and nothing blocks. */
function leavesWhole(reader: FieldReader): boolean {
  if (isBefore(reader.versions, 'transformers', '5.0')) {
    reader.assume('The base model is in 4 bits: beside adapter: lora, transformers 4 heeds load_in_4bit.')
    return false
  }
  reader.assume(
    'The base model is counted whole: Axolotl quantises to 4 bits for adapter: qlora. Beside adapter: lora, only releases for transformers 4 heeded load_in_4bit.',
  )
  return true
}

/** utils/quantization.py: torchao's QATConfig; without a group size 32 inputs share a scale. */
export function readFakeQuantization(reader: FieldReader, document: Section): TrainingSpec['fakeQuantization'] {
  const field = document.at('qat')
  const [activations, weights] = [document.at('qat', 'activation_dtype'), document.at('qat', 'weight_dtype')]
  if (field === undefined) return undefined
  const format = [weights?.source].find(type => type === 'nvfp4' || type === 'mxfp4')
  if (format !== undefined && activations?.source === format) {
    return reader.note('fakeQuantization', { groupSize: fourBitGroups[format], format }, field)
  }
  if (activations?.source !== 'int8' || weights?.source !== 'int4') {
    const types = [activations, weights].map(type => type?.source ?? 'none').join(' and ')
    const message = `Quantisation-aware training in ${quote(types)} is not modelled yet`
    return reader.refuse(
      weights ?? field,
      'unsupported-training',
      message,
      'Use int8 activations and int4 weights, or nvfp4 for both.',
    )
  }
  const group = document.at('qat', 'group_size')
  const groupSize = group === undefined ? 32 : reader.wholeNumber(group, { max: 1_000_000 })
  return groupSize === undefined ? undefined : reader.note('fakeQuantization', { groupSize }, field)
}

/** Values that share a scale. */
const fourBitGroups = { nvfp4: 16, mxfp4: 32 } as const

/**
 * utils/config resolve_dtype: `bf16` (by default `auto`) and `fp16` load the weights in 16 bits, under the Trainer's autocast unless
 * they are `full` (core/builders/base.py). DeepSpeed, and FSDP for weights that train, add 32-bit masters (accelerate: accelerator.py,
 * upcast).
 */
export function readPrecision(
  reader: FieldReader,
  document: Section,
  { sharding }: Sharded,
  hasAdapter: boolean,
): ComputedIn {
  const half: Precision = sharding === undefined || (isFsdp(sharding) && hasAdapter) ? 'bf16' : 'bf16-master'
  const in16Bits = (from: Field | string, isMixed = true) =>
    computedIn(reader, reader.note('precision', half, from), isMixed ? from : undefined)
  const [bf16, fp16] = [document.at('bf16'), document.at('fp16')]
  if (fp16 !== undefined && reader.flag(fp16) === true && !isBf16(document))
    return inFloat16(reader, in16Bits(fp16), fp16)
  if (bf16 === undefined) return in16Bits("Axolotl's default, bf16: auto")
  if (isAuto(bf16)) {
    reader.assume('Weights in bf16: that is what bf16: auto means on Ampere and newer GPUs.')
    return in16Bits(bf16)
  }
  const isFull = bf16.source === 'full'
  if (isFull || reader.flag(bf16) === true) return in16Bits(bf16, !isFull)
  const long = [document.at('bfloat16'), document.at('float16')].find(field => isOn(reader, field))
  if (long !== undefined) {
    return inFloat16(reader, in16Bits(long, false), long.key === 'float16' ? long : undefined)
  }
  const tf32 = document.at('tf32')
  const usesTf32 = tf32 === undefined || isAuto(tf32) || reader.flag(tf32) === true
  return { precision: reader.note('precision', usesTf32 ? 'tf32' : 'fp32', tf32 ?? bf16) }
}

/** utils/config resolve_dtype: `fp16` is off where `bf16` is on, and the weights are in bfloat16 where `bfloat16` is. */
function isBf16(document: Section): boolean {
  return [document.at('bf16'), document.at('bfloat16')].some(
    field => field !== undefined && (field.source === 'full' || (field.value.kind === 'flag' && field.value.flag)),
  )
}

function isAuto(field: Field): boolean {
  return field.value.kind === 'text' && field.value.text === 'auto'
}
