/** Checkpoints with quantised weights, recognised by their names: they are not quantised again on loading. */
import type { Quantization } from '../../training/choices.ts'
import type { FieldReader } from '../fields/fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'

interface StoredFormat {
  /** All of them stand in the checkpoint's name. */
  readonly words: readonly string[]
  readonly format: Quantization
  readonly bits: number
  readonly how: string
}

const formats: readonly StoredFormat[] = [
  { words: ['bnb', '4bit'], format: 'nf4-double', bits: 4, how: 'as nf4 with double quantisation' },
  // Other numbers and widths of codebooks have other kernels (aqlm 1.1.6 inference_kernels/kernel_selector.py).
  { words: ['aqlm', '2bit', '1x16'], format: 'aqlm', bits: 2, how: 'as 16-bit codes for 8 weights each' },
  { words: ['gptq'], format: 'gptq', bits: 4, how: 'in groups of 128' },
  { words: ['awq'], format: 'awq', bits: 4, how: 'in groups of 128' },
]

/** Not modelled. `w4a16` is compressed-tensors' for weights in 4 bits beside activations in 16. */
const others = /^(?:nvfp4|mxfp4|hqq|aqlm|gguf|int4|exl[23]|w\d{1,2}a\d{1,2})$/

/** Undefined for a checkpoint that is not quantised, or whose format was refused. */
export function storedQuantization(
  reader: FieldReader,
  model: Field | undefined,
  hasAdapter: boolean,
): Quantization | undefined {
  if (model?.value.kind !== 'text') return undefined
  const words = wordsOf(model.value.text)
  const found = formatOf(words)
  if (found === undefined) {
    const other = words.find(word => others.test(word))
    if (other === undefined) return undefined
    const message = `Checkpoints stored as ${quote(other)} are not modelled yet`
    return reader.refuse(model, 'unsupported-quantization', message, leaveOut)
  }
  const { format, bits, how } = found
  if (!hasAdapter) {
    const message = `The ${bits}-bit weights of ${quote(model.value.text)} cannot be trained without an adapter`
    return reader.refuse(model, 'quantised-without-adapter', message, 'Train adapters on top of them.')
  }
  reader.assume(`Weights are stored in ${bits} bits ${how}, judging by the name ${quote(model.value.text)}.`)
  return reader.note('quantization', format, model)
}

/** Judging by its name. */
export function isStoredQuantized(model: Field | undefined): boolean {
  if (model?.value.kind !== 'text') return false
  const words = wordsOf(model.value.text)
  return formatOf(words) !== undefined || words.some(word => others.test(word))
}

/** peft 0.21 utils/other.py prepare_model_for_kbit_training: beside such weights it casts nothing. Judging by the name. */
export function isLeftAsLoaded(name: string): boolean {
  const format = formatOf(wordsOf(name))?.format
  return format === 'gptq' || format === 'aqlm'
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[^a-z0-9]+/)
}

function formatOf(words: readonly string[]): StoredFormat | undefined {
  return formats.find(format => format.words.every(word => words.includes(word)))
}
