/** LitGPT's adapters and quantised weights: litgpt/finetune/lora.py, litgpt/lora.py, lightning/fabric/plugins/precision/bitsandbytes.py. */
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { litgptConfigOf, litgptLinears } from '../../../models/litgpt.ts'
import type { Precision, Quantization } from '../../../training/choices.ts'
import type { Choices, FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import type { Lora } from '../../trainer/adapter.ts'
import type { Method } from './method.ts'

const MAX_RANK = 10_000

/** The switches, and whether each is on by default. */
const switches = [
  ['lora_query', true, 'query'],
  ['lora_key', false, 'key'],
  ['lora_value', true, 'value'],
  ['lora_projection', false, 'projection'],
  ['lora_mlp', false, 'mlp'],
  ['lora_head', false, 'head'],
] as const

export function readAdapter(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
): Lora | undefined {
  const [rankField, dropoutField] = [document.at('lora_r'), document.at('lora_dropout')]
  const rank = rankField === undefined ? 8 : reader.wholeNumber(rankField, { max: MAX_RANK })
  const dropout = dropoutField === undefined ? 0.05 : reader.share(dropoutField)
  const parts = switches.filter(([key, byDefault]) => {
    const field = document.at(key)
    return field === undefined ? byDefault : reader.flag(field)
  })
  const config = model && litgptConfigOf(model.config)
  if (config === undefined || rank === undefined || dropout === undefined) return undefined
  if (parts.length === 0) {
    const message = 'Adapters are set, and every layer that may have them is switched off'
    return reader.refuse(rankField, 'no-such-lora-target', message, 'Set lora_query: true.')
  }
  const targets = parts.flatMap(([, , part]) => litgptLinears(config, part))
  const lora: Lora = { rank, targets, dropout, inWeightsType: true }
  return reader.note('lora', lora, rankField ?? "LitGPT's default")
}

/** Both formats hold 4 bits a weight; `-dq` quantises the constants of blocks too. */
const quantizations: Choices<Quantization> = new Map<string, Quantization>([
  ['bnb.nf4', 'nf4'],
  ['bnb.nf4-dq', 'nf4-double'],
  ['bnb.fp4', 'nf4'],
  ['bnb.fp4-dq', 'nf4-double'],
])

interface Around {
  readonly method: Method
  readonly precision: Precision
}

export function readQuantization(
  reader: FieldReader,
  field: Field | undefined,
  { method, precision }: Around,
): Quantization | undefined {
  const name = reader.text(field)
  if (field === undefined || name === undefined) return undefined
  if (method === 'full') {
    return reader.refuse(field, 'unsupported-setting', 'litgpt finetune_full takes no quantize', 'Leave it out.')
  }
  if (precision !== 'bf16') {
    const message = precision.startsWith('amp')
      ? 'LitGPT refuses quantised weights in mixed precision'
      : `Quantised weights with ${precision} are not modelled yet for LitGPT`
    return reader.refuse(field, 'unsupported-setting', message, 'Use precision: bf16-true.')
  }
  const quantization = quantizations.get(name)
  if (quantization !== undefined) return reader.note('quantization', quantization, field)
  const message = `Weights quantised as ${quote(name)} are not modelled yet for LitGPT`
  return reader.refuse(field, 'unsupported-setting', message, 'Use bnb.nf4 or bnb.nf4-dq.')
}
