/** What NeMo RL's settings mean. The playground loads it when a config asks for it. */
import type { Dialect } from '../../dialect.ts'
import type { FieldReader } from '../../fields/fields.ts'
import { type ModelLookup, readModel } from '../../fields/model-fields.ts'
import type { Reading } from '../../reading.ts'
import type { Section } from '../../text/section.ts'
import { languageModelReading } from '../../trainer/language-model.ts'
import { readAlgorithm } from './algorithms.ts'
import { readBatch } from './batch.ts'
import { readDivision } from './division.ts'
import { absentParents, tellOfParents } from './parents.ts'
import { readAdapter, readBackend, readCheckpointing, readOptimizer, readPrecision, refuseOthers } from './policy.ts'

export function readNemoRl(
  { name, modelField }: Dialect,
  document: Section,
  reader: FieldReader,
  lookUp: ModelLookup,
): Reading {
  const parents = absentParents(document)
  if (parents !== undefined && !tellOfParents(reader, document, parents))
    return { kind: 'unreadable', problems: reader.problems }
  if (!readBackend(reader, document)) return { kind: 'unreadable', problems: reader.problems }
  const model = readModel(reader, modelField(document), 'policy.model_name', lookUp)
  const division = readDivision(reader, document)
  refuseOthers(reader, document, division, model)
  const { row, ...batch } = readBatch(reader, document, division)
  const algorithm = readAlgorithm(reader, document, { batch, row })
  const isPacked = row !== undefined
  const length = document.at('policy', 'max_total_sequence_length')
  const reading = languageModelReading(reader, {
    dialect: name,
    loop: division.isSecond ? 'nemo-rl-v2' : 'nemo-rl',
    model,
    batch,
    sequence: {
      field: isPacked ? undefined : length,
      isRow: isPacked,
      dividedBy: division.contextParallel,
      byDefault: {
        value: row ?? 1,
        source: 'train_mb_tokens',
        assumption: `A micro-batch is one row of sequences, up to ${row} tokens together, and attention is counted across all of it.`,
      },
    },
    settings: {
      ...division.spec,
      ...readPrecision(reader, document, division),
      ...readCheckpointing(reader, document, division, model),
      ...algorithm,
      optimizer: readOptimizer(reader, document, division),
      attention: reader.note('attention', batch.isPacked ? 'flash' : 'sdpa', 'as NeMo RL loads the model'),
      lora: readAdapter(reader, document, division, model),
      paddedBatches: reader.note('paddedBatches', false, 'NeMo RL masks no token'),
    },
  })
  // What the missing parents say may change it.
  return parents !== undefined && reading.kind === 'training-config' ? { ...reading, assumesCode: true } : reading
}
