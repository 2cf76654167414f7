/**
 * torchtitan, as of 0.2.2: torchtitan/config/job_config.py, torchtitan/train.py, torchtitan/models/llama3. Its settings are TOML, and
 * its models, parallelisms and loop are its own. Earlier names of settings are read too.
 */
import type { Optimizer, Precision } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Dialect } from '../dialect.ts'
import type { Choices, FieldReader } from '../fields/fields.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import type { Reading } from '../reading.ts'
import type { Field, Section } from '../text/section.ts'
import { languageModelReading } from '../trainer/language-model.ts'
import { isOn } from '../trainer/method.ts'
import { readBatch } from './torchtitan/batch.ts'
import { readCheckpointing } from './torchtitan/checkpointing.ts'
import { hubModel, refuseUnknownModel } from './torchtitan/models.ts'
import { type Division, readDivision } from './torchtitan/parallelism.ts'
import { batchSizeKeys, firstOf, refuse, refuseOthers } from './torchtitan/settings.ts'

export const torchtitan: Dialect = {
  name: 'torchtitan',
  mayBe: () => false,
  recognise: document => {
    const batch = firstOf(document, batchSizeKeys)
    return document.at('model', 'flavor') && batch && `model.flavor beside ${batch.name}`
  },
  modelField: hubModel,
  // run_train.sh
  expandsSegments: true,
  // Sections about something else, and settings that others switch on.
  withoutBearing:
    /^(?:(?:checkpoint|comm|debug|float8|job|memory_estimation|metrics|mx|profiling|quantize|validation)(?:\.|$)|\w+\.(?:pipeline_parallel_(?!degree)|context_parallel_(?!degree)|expert_))/,
  read,
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  refuseUnknownModel(reader, document)
  const named = hubModel(document)
  const model = named && readModel(reader, named, 'model.flavor', lookUp)
  refuseOthers(reader, document)
  const division = readDivision(reader, document)
  const compiling = readCompile(reader, document)
  return languageModelReading(reader, {
    dialect: torchtitan.name,
    model,
    batch: readBatch(reader, document, division),
    sequence: {
      field: document.at('training', 'seq_len'),
      byDefault: { value: 2_048, source: "torchtitan's default" },
      // Texts are packed into rows of this length.
      isRow: true,
    },
    settings: {
      ...division.spec,
      ...readCheckpointing(reader, document),
      // components/checkpoint.py load: a run that finds a checkpoint of its own goes on from it.
      resumes: isOn(reader, firstOf(document, ['checkpoint.enable', 'checkpoint.enable_checkpoint'])) || undefined,
      precision: readPrecision(reader, document, division),
      optimizer: readOptimizer(reader, document),
      optimizerInBackward: readInBackward(reader, document),
      attention: reader.note('attention', 'sdpa', 'of this flavor'),
      ...compiling,
      float8: readFloat8(reader, document, compiling.compiled),
      paddedBatches: reader.note('paddedBatches', false, 'torchtitan packs texts and passes no mask'),
      modelCode: reader.note('modelCode', 'torchtitan', "torchtitan's own"),
      reentrantCheckpoints: false,
    },
    loop: 'torchtitan',
  })
}

const computeTypes: Choices<'bfloat16' | 'float32'> = new Map([
  ['bfloat16', 'bfloat16'],
  ['float32', 'float32'],
])

/** distributed/utils.py maybe_enable_amp: FSDP casts by itself, one GPU and DDP run autocast; tensor parallelism alone does neither. */
function readPrecision(reader: FieldReader, document: Section, { isSharded, isTensorParallel }: Division): Precision {
  const held = document.at('training', 'dtype')
  if (held !== undefined && reader.choice(held, computeTypes) === 'bfloat16') refuse(reader, held, held.name)
  const mixed: Precision = isSharded ? 'bf16-master' : isTensorParallel ? 'fp32' : 'amp-bf16'
  const types: Choices<Precision> = new Map<string, Precision>([
    ['bfloat16', mixed],
    ['float32', 'fp32'],
  ])
  const written = document.at('training', 'mixed_precision_param')
  return reader.settle('precision', written, field => reader.choice(field, types), {
    value: mixed,
    source: "torchtitan's default",
  })
}

const implementations: Choices<Optimizer> = new Map<string, Optimizer>([
  ['fused', 'adamw-fused'],
  ['foreach', 'adamw'],
  ['for-loop', 'adamw-loop'],
])

/** components/optimizer.py build_optimizers: Adam and AdamW. `optimizer.fused` was a flag, off by default, before implementations had names. */
function readOptimizer(reader: FieldReader, document: Section): Optimizer {
  const name = document.at('optimizer', 'name')
  if (name !== undefined && !/^AdamW?$/.test(reader.text(name) ?? 'Adam')) refuse(reader, name, name.name)
  const fused = document.at('optimizer', 'fused')
  if (fused !== undefined) return reader.note('optimizer', isOn(reader, fused) ? 'adamw-fused' : 'adamw', fused)
  return reader.settle(
    'optimizer',
    document.at('optimizer', 'implementation'),
    field => reader.choice(field, implementations),
    { value: 'adamw-fused', source: "torchtitan's default" },
  )
}

function readInBackward(reader: FieldReader, document: Section): true | undefined {
  const field = document.at('optimizer', 'early_step_in_backward')
  return isOn(reader, field) ? reader.note('optimizerInBackward', true, field) : undefined
}

/** `compile.enable` of the model's blocks and of the loss, once `training.compile` for both. */
function readCompile(reader: FieldReader, document: Section): Pick<TrainingSpec, 'compiled' | 'uncompiledLoss'> {
  const field = firstOf(document, ['compile.enable', 'training.compile'])
  const components = document.at('compile', 'components')
  if (!isOn(reader, field)) return {}
  const items = components?.value.kind === 'list' ? components.value.items : []
  const names =
    components === undefined ? ['model', 'loss'] : items.map(item => (item.kind === 'text' ? item.text : ''))
  if (components !== undefined && !names.includes('model'))
    refuse(reader, components, `${components.name} without the model`)
  const compiled = reader.note('compiled', true as const, field)
  if (components === undefined || names.includes('loss')) return { compiled }
  return { compiled, uncompiledLoss: reader.note('uncompiledLoss', true as const, components) }
}

/** Which layers compute in 8 bits: `model.converters`, once `float8.enable_float8_linear`. */
function readFloat8(reader: FieldReader, document: Section, compiled: true | undefined): true | undefined {
  const before = document.at('float8', 'enable_float8_linear')
  const field = isOn(reader, before) ? before : document.at('model', 'converters')
  if (field === undefined) return undefined
  const names = field === before ? ['float8'] : convertersIn(field)
  if (names.length === 0) return undefined
  const isKnown = names.every(name => name === 'float8' || name === 'quantize.linear.float8')
  if (!isKnown)
    return reader.refuse(field, 'unsupported-setting', `${field.name} is not modelled yet for torchtitan`, leaveOut)
  if (compiled === undefined) {
    const message = '8-bit floats without torch.compile are not modelled yet for torchtitan'
    return reader.refuse(
      field,
      'unsupported-setting',
      message,
      'Switch compile on, as torchtitan advises, or leave them out.',
    )
  }
  return reader.note('float8', true, field)
}

/** A list, or on a command line texts between commas. */
function convertersIn({ value }: Field): readonly string[] {
  const items = value.kind === 'list' ? value.items : [value]
  return items.flatMap(item => (item.kind === 'text' ? item.text.split(',').filter(name => name !== '') : []))
}
