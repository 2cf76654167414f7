/** Attention kernels by the names of transformers' `attn_implementation` (transformers 4.57). */
import type { Default, FieldReader } from '../fields.ts'
import { suggest } from '../fields.ts'
import { quote } from '../quote.ts'
import type { Field } from '../section.ts'
import type { Attention } from '../spec.ts'

export interface AttentionChoice {
  readonly attention: Attention
  /** Kernels that take the lengths of sequences instead of a padding mask. */
  readonly masksPadding: boolean
}

export const fusedAttention: AttentionChoice = { attention: 'sdpa', masksPadding: true }
export const flashAttention: AttentionChoice = { attention: 'sdpa', masksPadding: false }
export const eagerAttention: AttentionChoice = { attention: 'eager', masksPadding: true }

const implementations: ReadonlyMap<string, AttentionChoice> = new Map([
  ['eager', eagerAttention],
  ['sdpa', fusedAttention],
  ['flash_attention_2', flashAttention],
])

const sameBytes = ['flash_attention_3', 'flex_attention', 'xformers', 'sage', 's2']

const byDefault: Default<Attention> = { value: 'sdpa', source: "transformers' default" }

export function readImplementation(reader: FieldReader, field: Field | undefined): AttentionChoice {
  let choice = fusedAttention
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

function implementation(reader: FieldReader, field: Field): AttentionChoice | undefined {
  const name = reader.text(field)
  if (name === undefined) return undefined
  const known = implementations.get(name)
  if (known?.masksPadding) return known
  // A path names a kernel of the Hub, which are flash kernels.
  if (known === undefined && !sameBytes.includes(name) && !name.includes('/')) {
    return reader.refuse(
      field,
      'unknown-value',
      `${quote(name)} is not a known value`,
      suggest(name, [...implementations.keys()]),
    )
  }
  const shown = known === undefined ? quote(name) : name
  reader.assume(`${shown} is counted as sdpa: both kernels use the same memory.`)
  return flashAttention
}
