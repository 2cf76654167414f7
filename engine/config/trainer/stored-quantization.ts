/** Checkpoints with quantised weights, recognised by their names: they are not quantised again on loading. */
import type { Quantization } from '../../training/choices.ts'
import type { FieldReader } from '../fields/fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'

const stored: ReadonlyMap<string, Quantization> = new Map([
  ['gptq', 'gptq'],
  ['awq', 'awq'],
])
/** `w4a16` is compressed-tensors' for weights in 4 bits beside activations in 16. */
const others = /^(?:nvfp4|mxfp4|hqq|gguf|int4|exl[23]|w\d{1,2}a\d{1,2})$/

/** Undefined for a checkpoint that is not quantised, or whose format was refused. */
export function storedQuantization(
  reader: FieldReader,
  model: Field | undefined,
  hasAdapter: boolean,
): Quantization | undefined {
  if (model?.value.kind !== 'text') return undefined
  const words = wordsOf(model.value.text)
  const isOfBitsandbytes = isOf4BitBitsandbytes(words)
  const format = isOfBitsandbytes
    ? ('nf4-double' as const)
    : isOfOneCodebook(words)
      ? ('aqlm' as const)
      : words.map(word => stored.get(word)).find(found => found !== undefined)
  if (format === undefined) {
    const other = words.find(word => others.test(word) || word === 'aqlm')
    if (other === undefined) return undefined
    const message = `Checkpoints stored as ${quote(other)} are not modelled yet`
    return reader.refuse(model, 'unsupported-quantization', message, leaveOut)
  }
  if (!hasAdapter) {
    const message = `The ${format === 'aqlm' ? 2 : 4}-bit weights of ${quote(model.value.text)} cannot be trained without an adapter`
    return reader.refuse(model, 'quantised-without-adapter', message, 'Train adapters on top of them.')
  }
  const how = isOfBitsandbytes
    ? '4 bits as nf4 with double quantisation'
    : format === 'aqlm'
      ? '2 bits, one code of 16 for every 8'
      : '4 bits in groups of 128'
  reader.assume(`Weights are stored in ${how}, judging by the name ${quote(model.value.text)}.`)
  return reader.note('quantization', format, model)
}

/** Judging by its name. */
export function isStoredQuantized(model: Field | undefined): boolean {
  if (model?.value.kind !== 'text') return false
  const words = wordsOf(model.value.text)
  return isOf4BitBitsandbytes(words) || words.some(word => stored.has(word) || others.test(word) || word === 'aqlm')
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[^a-z0-9]+/)
}

/** `AQLM-2Bit-1x16`: other numbers and widths of codebooks have other kernels (aqlm 1.1.6 inference_kernels/kernel_selector.py). */
function isOfOneCodebook(words: readonly string[]): boolean {
  return ['aqlm', '2bit', '1x16'].every(word => words.includes(word))
}

function isOf4BitBitsandbytes(words: readonly string[]): boolean {
  return words.includes('bnb') && words.includes('4bit')
}
