import type { StoredType } from '../../../models/catalogue.ts'
import { isFsdp, type Precision, type Sharding } from '../../../training/choices.ts'
import { isBefore } from '../../../training/versions.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field } from '../../text/section.ts'
import { type ComputedIn, computedIn, inFloat16 } from '../../trainer/autocast.ts'
import { typeOfGpu } from './declared.ts'

export interface PrecisionFields {
  readonly fp16: Field | undefined
  readonly bf16: Field | undefined
  readonly tf32: Field | undefined
  /** `torch_dtype` or `dtype`: the type in which the weights are loaded. */
  readonly weights: Field | undefined
  readonly sharding: Sharding | undefined
  readonly hasAdapter: boolean
  readonly isTrl: boolean
  /** The checkpoint's own type, as far as its config.json or its family tells. */
  readonly stored: StoredType
  /** Whether the call that loads the weights leaves their type open. */
  readonly loadsStoredType: boolean
  /** Whether the other weights are quantised, on loading or in the checkpoint. */
  readonly isQuantized: boolean
  /** Where TRL casts what is not quantised to 32 bits. */
  readonly preparedByTrl: { readonly in4Bits: boolean } | undefined
  /** What only a transformers older than 5.0 takes. */
  readonly ofOldTransformers: Field | undefined
  /** Whether bf16 is on unless fp16 is, as in TRL's configs since 0.19. */
  isOn(): boolean
}

const weightTypes: ReadonlyMap<string, StoredType> = new Map<string, StoredType>([
  ['float32', 'float32'],
  ['fp32', 'float32'],
  ['bfloat16', 'bfloat16'],
  ['bf16', 'bfloat16'],
  ['float16', 'float16'],
  ['fp16', 'float16'],
  ['half', 'float16'],
])

/**
 * In the Trainer, `fp16` and `bf16` are autocast over the weights as loaded; they do not convert the weights. DeepSpeed does, and FSDP
 * gathers them in that type (accelerate 1.15 utils/dataclasses.py set_mixed_precision).
 */
export function readPrecision(reader: FieldReader, fields: PrecisionFields): ComputedIn {
  const fp16 = reader.flag(fields.fp16) ?? false
  const said = reader.flag(fields.bf16)
  const bf16 = said ?? (!fp16 && fields.isOn())
  // With bf16 and 4 bits it casts the embeddings and the output layer back (TRL 0.25 models/utils.py prepare_peft_model).
  const isCast = fields.preparedByTrl !== undefined && !(bf16 && fields.preparedByTrl.in4Bits)
  const weights = isCast ? 'float32' : readWeightType(reader, fields, { fp16, bf16 })
  if (fp16 && bf16) {
    reader.refuse(fields.bf16, 'precision-conflict', 'Both fp16 and bf16 are on', 'Keep one of the two.')
  }
  const from = [fields.weights, fp16 ? fields.fp16 : undefined, fields.bf16].find(field => field !== undefined)
  const precision = precisionOf(reader, fields, weights, { fp16, bf16 })
  const source = from ?? (bf16 ? "TRL's default" : "the Trainer's default")
  const mixed = fp16 ? fields.fp16 : bf16 ? (fields.bf16 ?? "TRL's default") : undefined
  const computed = computedIn(reader, reader.note('precision', precision, source), mixed)
  const isInFloat16 = fp16 || (weights === 'float16' && !bf16)
  return inFloat16(reader, computed, isInFloat16 ? source : undefined)
}

function precisionOf(
  reader: FieldReader,
  fields: PrecisionFields,
  weights: StoredType,
  { fp16, bf16 }: Switches,
): Precision {
  if (hasMasters(fields) && (fp16 || bf16)) return 'bf16-master'
  switch (weights) {
    case 'float16':
      // Without autocast no scaler refuses gradients in fp16.
      if (fields.hasAdapter || (!fp16 && !bf16)) {
        if (bf16) readCopies(reader, fields, ['fp16', 'bf16'])
        return 'bf16'
      }
      reader.refuse(
        fields.weights,
        'unsupported-precision',
        'Autocast over weights in fp16 is not supported',
        useAutocast,
      )
      return 'fp32'
    case 'bfloat16':
      if (fp16 && fields.hasAdapter) readCopies(reader, fields, ['bf16', 'fp16'])
      else if (fp16)
        reader.refuse(fields.fp16, 'precision-conflict', 'fp16 cannot train weights loaded as bfloat16', useBf16)
      return 'bf16'
    case 'float32':
      if (!fp16 && !bf16) return reader.flag(fields.tf32) === true ? 'tf32' : 'fp32'
      return fp16 ? 'amp-fp16' : 'amp-bf16'
  }
}

/** DeepSpeed keeps 32-bit master weights for trainable parameters; accelerate upcasts those under FSDP (accelerator.py, prepare_model). */
function hasMasters({ sharding, hasAdapter }: PrecisionFields): boolean {
  return sharding !== undefined && !(isFsdp(sharding) && hasAdapter)
}

/**
 * Of frozen weights in another 16-bit type than its own, autocast makes a copy for every product (ATen/autocast_mode.cpp cached_cast),
 * which is held until the backward pass. Quantised layers cast nothing.
 */
function readCopies(
  reader: FieldReader,
  { weights, fp16, bf16, isQuantized }: PrecisionFields,
  [stored, computed]: readonly [stored: string, computed: string],
): void {
  if (isQuantized) {
    reader.assume(
      `What is not quantised is counted in ${computed}, in which autocast computes, though it is loaded in ${stored}.`,
    )
    return
  }
  reader.refuse(
    weights ?? fp16 ?? bf16,
    'unsupported-precision',
    `Autocast in ${computed} copies every weight in ${stored}, which is not counted yet`,
    `Load the weights in the type of autocast, ${computed}.`,
  )
}

const useAutocast = 'Load the weights as float32 with fp16: true, or as bfloat16.'
const useBf16 = 'Set bf16: true instead, or load the weights as float32.'

function readWeightType(reader: FieldReader, fields: PrecisionFields, on: Switches): StoredType {
  const { weights: field } = fields
  if (field?.value.kind === 'text' && field.value.text === 'auto') return storedType(reader, field, fields, on)
  const name = reader.text(field)
  if (name === undefined) return unwrittenType(reader, fields, on)
  if (name === typeOfGpu) return unslothType(reader, on.fp16)
  const type = weightTypes.get(name.replace(/^torch\./, ''))
  if (type !== undefined) return type
  reader.refuse(field, 'unknown-precision', `Unknown type ${quote(name)}`, 'Use float32 or bfloat16.')
  return 'float32'
}

interface Switches {
  readonly fp16: boolean
  readonly bf16: boolean
}

/** Unsloth refuses fp16 over weights in bf16, so that who writes it trains on a GPU without bf16. */
function unslothType(reader: FieldReader, isFp16: boolean): StoredType {
  const [type, gpus] = isFp16 ? ['fp16', 'before Ampere, which fp16 asks for'] : ['bf16', 'since Ampere']
  reader.assume(`Weights and adapters compute in ${type}, as Unsloth does on GPUs ${gpus}.`)
  return isFp16 ? 'float16' : 'bfloat16'
}

function storedType(
  reader: FieldReader,
  { name }: Field,
  { isTrl, bf16, stored, hasAdapter }: PrecisionFields,
  on: Switches,
): StoredType {
  const isBf16OfTrl = isTrl && bf16?.value.kind === 'flag' && bf16.value.flag
  const isIn16Bits = stored !== 'float32'
  if (stored === 'float16' && !on.fp16) return storedInFloat16(reader, on)
  if ((isIn16Bits && !on.fp16) || isBf16OfTrl) {
    reader.assume(`Weights in bf16, as in most decoder checkpoints: ${name} leaves their type to the checkpoint.`)
    return 'bfloat16'
  }
  if (isIn16Bits && hasAdapter) {
    reader.assume(`Weights in 16 bits, as in most decoder checkpoints: ${name} leaves their type to the checkpoint.`)
    return 'float16'
  }
  reader.assume(`Weights in fp32: ${name} leaves their type to the checkpoint.`)
  return 'float32'
}

/** Under autocast to bf16, weights in fp16 are counted as what it computes with. */
function storedInFloat16(reader: FieldReader, { bf16 }: Switches): StoredType {
  const counted = bf16 ? ', counted as bf16, in which autocast computes' : ''
  reader.assume(`Weights in fp16, as the model's config.json says${counted}.`)
  return bf16 ? 'bfloat16' : 'float16'
}

/** transformers 5.18 modeling_utils.py from_pretrained: the checkpoint's type, where releases before 5.0 had fp32. */
function unwrittenType(
  reader: FieldReader,
  { loadsStoredType, stored, isQuantized, ofOldTransformers, hasAdapter }: PrecisionFields,
  on: Switches,
): StoredType {
  const isPinnedOld = isBefore(reader.versions, 'transformers', '5.0')
  const isOld = isPinnedOld || (ofOldTransformers !== undefined && reader.versions.transformers === undefined)
  if (loadsStoredType && isQuantized && isOld) {
    // 4.57 quantizers/quantizer_bnb_4bit.py update_dtype; those of GPTQ and AWQ do the same.
    reader.assume('What is not quantised is in fp16, as transformers before 5.0 loads it where no dtype is written.')
    return 'float16'
  }
  if (!loadsStoredType || stored === 'float32' || isPinnedOld) return 'float32'
  if (ofOldTransformers !== undefined && reader.versions.transformers === undefined) {
    reader.assume(
      `Weights in fp32, as transformers before 5.0 loads them: later ones do not take ${ofOldTransformers.name} (line ${ofOldTransformers.at.line}).`,
    )
    return 'float32'
  }
  if (on.fp16 && !hasAdapter) {
    reader.assume(
      'Weights in fp32, as transformers before 5.0 loads them: fp16 cannot train the 16-bit weights that later ones load.',
    )
    return 'float32'
  }
  if (stored === 'float16' && !on.fp16) return storedInFloat16(reader, on)
  reader.assume(
    "Weights in 16 bits, as in most decoder checkpoints: no dtype is written, and transformers 5 keeps the checkpoint's.",
  )
  return on.fp16 ? 'float16' : 'bfloat16'
}
