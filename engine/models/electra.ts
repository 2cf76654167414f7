/** ELECTRA: BERT with narrower embeddings, which a linear layer widens. transformers: models/electra. */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { answerSpan, embeddings, encoderFields, encoderLayers, encoderLinears, tokenClassifier, WORDS } from './bert.ts'
import { family, type ProgramTerms } from './family.ts'
import { size } from './schema.ts'

const electraConfig = encoderFields.extend({
  model_type: z.literal('electra'),
  embedding_size: size.default(128),
  hidden_size: size.default(256),
  num_attention_heads: size.default(4),
  intermediate_size: size.default(1_024),
})
type ElectraConfig = z.infer<typeof electraConfig>

function electra(ops: Builder, config: ElectraConfig, { sequenceLength = 0, task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, hidden_dropout_prob: dropout } = config
  const states = encoderLayers(ops, config, embedded(ops, config, sequenceLength))
  if (task === 'token-classification') return tokenClassifier(ops, states, dropout, labels)
  if (task === 'question-answering') return answerSpan(ops, states)
  if (task === 'sentence-similarity') return states
  if (task === 'masked-lm') {
    const narrowed = ops.gelu(ops.linear('generator_predictions.dense', states, config.embedding_size))
    const normalised = ops.layerNorm('generator_predictions.LayerNorm', narrowed)
    return ops.linear('generator_lm_head', normalised, config.vocab_size, { tiedTo: `${WORDS}.weight` })
  }
  const first = ops.dropout(ops.firstToken(states), dropout)
  const dense = ops.dropout(ops.gelu(ops.linear('classifier.dense', first, hidden)), dropout)
  return ops.linear('classifier.out_proj', dense, labels)
}

function embedded(ops: Builder, config: ElectraConfig, tokens: number): Value {
  const { embedding_size: width, hidden_size: hidden } = config
  const narrow = embeddings(ops, config, { width, tokens })
  return width === hidden ? narrow : ops.linear('embeddings_project', narrow, hidden)
}

export const electraFamily = family('encoder', electraConfig, electra, {
  linears: () => ({ ...encoderLinears, all: [...encoderLinears.all, 'embeddings_project'] }),
  hasPositionTable: true,
})
