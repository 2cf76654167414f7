/** How embeddings of sentences are trained: by which loss, and over how many texts a sample. */
import { assumedSentences, columnsOfLoss, poolings, sentenceLosses, type Task } from '../../training/choices.ts'
import { MAX_COLUMNS, MIN_COLUMNS, type TrainingSpec } from '../../training/spec.ts'
import type { Choices, FieldReader } from '../fields/fields.ts'
import { leaveOut, orInSettings } from '../fields/supplied.ts'
import type { Field } from '../text/section.ts'

type Find = (key: 'sentence_columns' | 'sentence_loss' | 'sentence_pooling') => Field | undefined

/** Nothing for other tasks. `isAutocast`: every pass casts the weights anew. */
export function readSentences(
  reader: FieldReader,
  task: Task | undefined,
  find: Find,
  isAutocast: boolean,
): Pick<TrainingSpec, 'sentences'> {
  if (task !== 'sentence-similarity') return {}
  const written = find('sentence_loss')
  const loss = reader.choice(written, named(sentenceLosses)) ?? assumedSentences.loss
  const pooling = reader.choice(find('sentence_pooling'), named(poolings))
  const field = reader.fieldFor('sentence_columns', find('sentence_columns'))
  const given = reader.wholeNumber(field, { min: MIN_COLUMNS, max: MAX_COLUMNS })
  const taken = columnsOfLoss[loss]
  if (taken !== undefined && given !== undefined && given !== taken)
    reader.refuse(field, 'out-of-range', `The loss ${loss} takes ${taken} texts of a sample, not ${given}`, leaveOut)
  const known = given ?? taken
  const columns = known ?? assumedSentences.columns
  if (known === undefined) {
    reader.leavesColumnsOpen = true
    reader.assume(
      `Two texts a sample: the file does not say how many columns the data has, of which each further one takes as much again as one of the two. Nothing blocks because of that. Select the columns in the script, ${orInSettings('sentence_columns')}.`,
    )
  }
  if (columns > 2 && isAutocast) {
    reader.leavesColumnsOpen = true
    reader.assume(
      'sentence-transformers 6.0, which encodes all texts but the first together: releases before it hold the 16-bit copy of the weights once more for each text beyond the second, and nothing blocks because of that.',
    )
  }
  return {
    sentences: reader.note('sentences', { columns, loss, ...(pooling && { pooling }) }, field ?? written ?? 'assumed'),
  }
}

function named<T extends string>(words: readonly T[]): Choices<T> {
  return new Map(words.map(word => [word, word]))
}
