import { isFsdp, type Precision, type Sharding } from '../../../training/choices.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Section } from '../../text/section.ts'
import { type ComputedIn, computedIn, inFloat16 } from '../../trainer/autocast.ts'

type WeightType = 'float32' | 'bfloat16' | 'float16'

const weightTypes: ReadonlyMap<string, WeightType> = new Map<string, WeightType>([
  ['float32', 'float32'],
  ['bfloat16', 'bfloat16'],
  ['float16', 'float16'],
])

interface Beside {
  readonly isFull: boolean
  readonly sharding: Sharding | undefined
}

/**
 * swift/arguments/base_args/model_args.py: the weights' type is torch_dtype, or else the checkpoint's; autocast is to bf16 for
 * weights in bfloat16 and to fp16 for others, unless the switches say otherwise.
 */
export function readPrecision(reader: FieldReader, document: Section, { isFull, sharding }: Beside): ComputedIn {
  const field = document.at('torch_dtype')
  const weights = reader.choice(field, weightTypes) ?? 'bfloat16'
  if (field === undefined)
    reader.assume('Weights in bf16, as in most decoder checkpoints: torch_dtype leaves their type to the checkpoint.')
  const [bf16, fp16] = [document.at('bf16'), document.at('fp16')]
  const isBf16 = reader.flag(bf16) ?? weights === 'bfloat16'
  const isFp16 = reader.flag(fp16) ?? weights !== 'bfloat16'
  const from = field ?? bf16 ?? fp16 ?? "the checkpoint's type"
  // DeepSpeed and FSDP keep 32-bit copies of what trains; for adapters FSDP has none to keep.
  const hasMasters = sharding !== undefined && !(isFsdp(sharding) && !isFull)
  const inType = (precision: Precision) => ({ precision: reader.note('precision', precision, from) })
  const switched = isBf16 ? undefined : from
  if (hasMasters && (isBf16 || isFp16)) return inFloat16(reader, inType('bf16-master'), switched)
  if (weights === 'float32') return inType(isFp16 ? 'amp-fp16' : isBf16 ? 'amp-bf16' : 'fp32')
  const mixed = isBf16 || isFp16 ? ((isBf16 ? bf16 : fp16) ?? from) : undefined
  if (weights === 'bfloat16') return computedIn(reader, reader.note('precision', 'bf16', from), mixed)
  if (isFull) {
    const fix = 'Use --torch_dtype bfloat16 or float32.'
    reader.refuse(field, 'unsupported-precision', 'Training in pure fp16 weights is not supported', fix)
  } else if (isBf16) reader.assume('Weights in fp16 are counted as bf16, in which autocast computes with them.')
  return inFloat16(reader, computedIn(reader, reader.note('precision', 'bf16', from), mixed), switched)
}
