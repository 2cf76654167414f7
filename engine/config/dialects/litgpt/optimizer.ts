/** LitGPT's optimizers: litgpt/utils.py instantiate_torch_optimizer and instantiate_bnb_optimizer. */
import type { Optimizer } from '../../../training/choices.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { quote } from '../../text/quote.ts'
import { type Field, Section } from '../../text/section.ts'

/** By the class's own name. */
const optimizers: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  ['AdamW', 'adamw'],
  ['Adam', 'adamw'],
  ['SGD', 'sgd'],
  ['RMSprop', 'rmsprop'],
  ['AdamW8bit', 'adamw-8bit'],
  ['Adam8bit', 'adamw-8bit'],
  ['PagedAdamW', 'paged-adamw'],
  ['PagedAdamW32bit', 'paged-adamw'],
  ['PagedAdamW8bit', 'paged-adamw-8bit'],
])

/** A name, or a class with its arguments. Over quantised weights every AdamW is bitsandbytes' PagedAdamW. */
export function readOptimizer(reader: FieldReader, field: Field | undefined, isQuantized: boolean): Optimizer {
  return reader.settle('optimizer', field, present => optimizerOf(reader, present, isQuantized), {
    value: isQuantized ? 'paged-adamw' : 'adamw',
    source: "LitGPT's default",
  })
}

function optimizerOf(reader: FieldReader, field: Field, isQuantized: boolean): Optimizer | undefined {
  const section = field.value.kind === 'mapping' ? field.value.section : Section.of([])
  const written = field.value.kind === 'mapping' ? section.at('class_path') : field
  const path = reader.text(written)
  if (written === undefined || path === undefined) return undefined
  const name = path.slice(path.lastIndexOf('.') + 1)
  if (isQuantized && name.includes('AdamW')) return 'paged-adamw'
  const known = isQuantized ? undefined : optimizers.get(name)
  if (known === undefined) {
    const message = isQuantized
      ? `LitGPT takes only AdamW over quantised weights, not ${quote(path)}`
      : `The optimizer ${quote(path)} is not supported yet`
    return reader.refuse(written, 'unsupported-optimizer', message, 'Use torch.optim.AdamW.')
  }
  const set = (key: string) => section.at('init_args', key)
  const isOn = (key: string) => set(key) !== undefined && reader.flag(set(key)) === true
  if (known === 'adamw' && isOn('fused')) return 'adamw-fused'
  if (known === 'adamw' && set('foreach') !== undefined && !isOn('foreach')) return 'adamw-loop'
  const momentum = set('momentum')?.value
  return known === 'sgd' && momentum?.kind === 'number' && momentum.number > 0 ? 'sgd-momentum' : known
}
