/** The middle of GPT-2 and its kin: words with a learned position each, through all layers, and a norm behind them. */
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'

interface Placed {
  /** Rows of the table of positions. */
  readonly positions: number
  readonly hidden: number
  readonly tokens: number
  readonly dropout: number
  readonly layers: number
}

/** `words`: their embeddings, which the model's forward pass holds with those of positions through all layers. */
export function placedStates(
  ops: Builder,
  words: Value,
  { positions, hidden, tokens, dropout, layers }: Placed,
  block: (input: Value, name: string) => Value,
): Value {
  return ops.frame(words, embedded => {
    const places = ops.local(ops.constantEmbedding('transformer.wpe', positions, hidden, tokens))
    const first = ops.dropout(ops.add(embedded, places), dropout)
    const x = ops.layers(first, 'transformer.h', layers, (states, { name }) =>
      ops.block(states, input => block(input, name)),
    )
    return ops.layerNorm('transformer.ln_f', x)
  })
}
