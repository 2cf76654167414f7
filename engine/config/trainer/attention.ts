/** Attention kernels by the names of transformers' `attn_implementation` (transformers 4.57). */
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { Attention } from '../../training/choices.ts'
import { isBefore } from '../../training/versions.ts'
import type { Default, FieldReader } from '../fields/fields.ts'
import { suggest } from '../fields/fields.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'

export interface AttentionChoice {
  readonly attention: Attention
  /** Kernels that take the lengths of sequences instead of a padding mask. */
  readonly masksPadding: boolean
}

export const fusedAttention: AttentionChoice = { attention: 'sdpa', masksPadding: true }
export const flashAttention: AttentionChoice = { attention: 'flash', masksPadding: false }
export const eagerAttention: AttentionChoice = { attention: 'eager', masksPadding: true }

const implementations: ReadonlyMap<string, AttentionChoice> = new Map([
  ['eager', eagerAttention],
  ['sdpa', fusedAttention],
  ['flash_attention_2', flashAttention],
  ['flash_attention_3', flashAttention],
])

/** Other kernels that see windows and lengths without a mask. */
const alike = ['flex_attention', 'xformers', 'sage', 's2']

const newestDefault: Default<Attention> = { value: 'sdpa', source: "transformers' default" }

export function readImplementation(
  reader: FieldReader,
  field: Field | undefined,
  model: CatalogueModel | undefined,
): AttentionChoice {
  const byDefault = defaultAttention(reader, model)
  let choice = byDefault.value === 'eager' ? eagerAttention : fusedAttention
  reader.settle(
    'attention',
    field,
    present => {
      choice = implementation(reader, present) ?? fusedAttention
      return choice.attention
    },
    byDefault,
  )
  return choice
}

/** Families without attention, and Falcon, whose own code called scaled_dot_product_attention earlier. */
const withoutDefault: ReadonlySet<string> = new Set(['resnet', 'convnext', 'efficientnet', 'yolo', 'falcon'])

/**
 * What transformers takes where nothing is asked for: scaled_dot_product_attention since 4.36, with torch 2.1.1 or newer
 * (transformers#28005). T5 does not have it in 4.57; other families that came to it between the two are taken to have had it.
 */
function defaultAttention({ versions }: FieldReader, model: CatalogueModel | undefined): Default<Attention> {
  const family = model?.config.model_type ?? ''
  if (withoutDefault.has(family)) return newestDefault
  const since = family === 't5' || family === 'mt5' ? '5.0' : '4.36'
  const older = isBefore(versions, 'transformers', since)
    ? `transformers before ${since}`
    : isBefore(versions, 'torch', '2.1')
      ? 'transformers with a torch before 2.1.1'
      : undefined
  if (older === undefined) return newestDefault
  return {
    value: 'eager',
    source: `the default of ${older}`,
    assumption: `Eager attention, the default of ${older}: the config asks for no other.`,
  }
}

function implementation(reader: FieldReader, field: Field): AttentionChoice | undefined {
  const name = reader.text(field)
  if (name === undefined) return undefined
  const known = implementations.get(name)
  if (known !== undefined) return known
  // A path names a kernel of the Hub, which are flash kernels.
  if (name.includes('/')) return flashAttention
  if (!alike.includes(name)) {
    return reader.refuse(
      field,
      'unknown-value',
      `${quote(name)} is not a known value`,
      suggest(name, [...implementations.keys()]),
    )
  }
  reader.assume(`${quote(name)} is counted as flash attention: both use the same memory.`)
  return flashAttention
}
