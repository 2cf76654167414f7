/** torchtune, as of 0.7: recipes/configs, recipes/*.py and torchtune/models/*_model_builders.py. */
import { type CatalogueModel, findModel } from '../../models/catalogue.ts'
import { isInEightBits, type Optimizer, type Precision } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import type { Dialect } from '../dialect.ts'
import type { Choices, FieldReader } from '../fields/fields.ts'
import { readGpus } from '../fields/gpus.ts'
import { type ModelLookup, readModel } from '../fields/model-fields.ts'
import { leaveOut } from '../fields/supplied.ts'
import type { Reading } from '../reading.ts'
import { quote } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'
import { writesAny } from '../text/written-keys.ts'
import { type Lora, readLora, readTargets } from '../trainer/adapter.ts'
import { type Batch, languageModelReading, readBatch } from '../trainer/language-model.ts'
import { distillation, isOn, ordinary, preference, type Training } from '../trainer/method.ts'
import { readResuming } from '../trainer/resuming.ts'
import { readTensorParallel } from '../trainer/tensor-parallel.ts'
import { readCompile } from './torchtune/compile.ts'
import { readFusion } from './torchtune/fusion.ts'
import { type Builder, builderOf } from './torchtune/models.ts'
import { readTrajectories, type Trajectories } from './torchtune/rollouts.ts'
import { readSharding } from './torchtune/sharding.ts'

const COMPONENT = '_component_'

export const torchtune: Dialect = {
  name: 'torchtune',
  mayBe: text => writesComponent(text) && /torchtune\./.test(text) && writesBatch(text),
  recognise: document => {
    const component = componentOf(document, modelPart(document))
    const names = component?.value.kind === 'text' ? component.value.text : ''
    // Evaluation and generation recipes have a batch size too, but neither loss nor optimizer.
    const trains = document.at('optimizer') !== undefined || document.at('loss') !== undefined
    const isRecipe = trains && (names.startsWith('torchtune.') || hasTorchtunePart(document))
    return isRecipe && document.at('batch_size') !== undefined
      ? `batch_size beside ${names || 'components'} of torchtune`
      : undefined
  },
  modelField: document => hubName(document),
  // Of a model's builder it sizes the table of positions alone.
  withoutBearing: /^\w*model\.max_seq_len$/,
  read,
}

const writesComponent = writesAny([COMPONENT])
const writesBatch = writesAny(['batch_size'])

function hasTorchtunePart(document: Section): boolean {
  return ['tokenizer', 'checkpointer', 'dataset'].some(part => {
    const value = componentOf(document, part)?.value
    return value?.kind === 'text' && value.text.startsWith('torchtune.')
  })
}

/** PPO's recipe names it otherwise. */
function modelPart(document: Section): 'model' | 'policy_model' {
  return document.at('policy_model') === undefined ? 'model' : 'policy_model'
}

function componentOf(document: Section, part: string): Field | undefined {
  return document.at(part, COMPONENT)
}

/** The builder's field, with the model that it builds as its value. */
function hubName(document: Section): Field | undefined {
  const component = componentOf(document, modelPart(document))
  if (component?.value.kind !== 'text') return component
  return { ...component, value: { kind: 'text', text: modelBuilder(document).model } }
}

function modelBuilder(document: Section): Builder {
  const component = componentOf(document, modelPart(document))?.value
  return builderOf(component?.kind === 'text' ? component.text : '', argument => {
    const value = document.at(modelPart(document), argument)?.value
    return value?.kind === 'number' ? value.number : undefined
  })
}

function read(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const component = componentOf(document, modelPart(document))
  const builder = modelBuilder(document)
  const division = document.at('tensor_parallel_dim')
  const tensorParallel = readTensorParallel(reader, division, true)
  const trajectories = trajectoriesOf(reader, document)
  const training = trajectories?.training ?? readTraining(reader, document, builder)
  const model = readModel(reader, hubName(document), 'model._component_', lookUp)
  const batch =
    trajectories?.batch ??
    readBatch(reader, {
      batchSize: document.at('batch_size'),
      defaultBatch: { value: 1, source: 'not in the file' },
      accumulation: document.at('gradient_accumulation_steps'),
    })
  const { checkpoints, checkpointEvery } = readCheckpointing(reader, document, builder.method === 'full')
  const sharded = readSharding(reader, document)
  const optimizer = readOptimizer(reader, document)
  tellOfValidation(reader, document, batch)
  return languageModelReading(reader, {
    dialect: torchtune.name,
    model,
    batch,
    sequence: {
      field: trajectories === undefined ? document.at('tokenizer', 'max_seq_len') : undefined,
      byDefault: trajectories?.length ?? {
        value: 2_048,
        source: 'assumed',
        assumption:
          'Sequences of up to 2,048 tokens: tokenizer.max_seq_len is not set, so the real length depends on the longest sample.',
      },
    },
    settings: {
      gpus: readGpus(reader, tensorParallel && division, sharded.offload && sharded.sharding),
      tensorParallel,
      precision: readPrecision(reader, document.at('dtype')),
      optimizer,
      ...(isInEightBits(optimizer) && { eightBitEmbeddings: true }),
      optimizerInBackward: readInBackward(reader, document.at('optimizer_in_bwd')),
      // modules/attention_utils.py: scaled_dot_product_attention, causal and without a mask where nothing is packed.
      attention: reader.note('attention', 'sdpa', "torchtune's only kernel"),
      gradientCheckpointing: checkpoints,
      checkpointEvery,
      lora: builder.method === 'full' ? undefined : readAdapter(reader, document, model),
      // modules/low_precision: torchao's nf4, with block constants quantised too.
      quantization: quantizationOf(reader, document, builder, component),
      fakeQuantization: readQuantizer(reader, document),
      chunkedLoss: training.method === undefined ? readChunkedLoss(reader, document) : undefined,
      ...readCompile(reader, document),
      offloadsCheckpoints: readOffloading(reader, document, checkpoints),
      fsdpVersion: 2,
      reentrantCheckpoints: false,
      expertStyle: model?.family === 'llama4' ? 'torchtune' : undefined,
      rotatesPairs: model && pairing.test(model.family) ? true : undefined,
      ...readFusion(reader, document, model, { isFull: builder.method === 'full', checkpoints }),
      ...sharded,
      ...training,
      resumes: trajectories === undefined ? readResuming(reader, key => document.at(key)) : undefined,
      // Both recipes that learn from answers hand the model a mask of every pair of tokens.
      paddedBatches: reader.note('paddedBatches', trajectories !== undefined, 'as the recipe masks'),
    },
  })
}

/** recipes' validate(): a forward pass and a loss of other batches, which takes less than training does where they are no larger. */
function tellOfValidation(reader: FieldReader, document: Section, { microBatch }: Batch): void {
  const field = document.at('batch_size_val')
  const isUsed = document.at('dataset_val') !== undefined
  if (isUsed && field?.value.kind === 'number' && field.value.number > microBatch) reader.uncounted.push(field)
}

/** Models of modules/position_embeddings.py; models/qwen2 and models/phi3 have positions of their own, which turn halves. */
const pairing = /^(?:llama|mistral|gemma2?|mllama)$/

function trajectoriesOf(reader: FieldReader, document: Section): Trajectories | undefined {
  const loss = componentOf(document, 'loss')
  const name = loss?.value.kind === 'text' ? loss.value.text : ''
  return loss !== undefined && /(?:PPO|GRPO)/.test(name) ? readTrajectories(reader, document, loss, name) : undefined
}

/** recipes/*dpo*.py: with adapters the reference is the base; a full recipe loads it from a checkpoint of its own. */
function readTraining(reader: FieldReader, document: Section, { method }: Builder): Training {
  const teacher = componentOf(document, 'teacher_model')
  if (teacher !== undefined) return readTeacher(reader, document, teacher)
  const loss = componentOf(document, 'loss')
  const name = loss?.value.kind === 'text' ? loss.value.text : ''
  if (loss === undefined || ORDINARY_LOSS.test(name)) return ordinary
  if (!/(?:rlhf|DPO|RSO|IPO|SimPO)/.test(name)) {
    const message = `What the loss ${quote(name)} computes is not known`
    reader.refuse(
      loss,
      'unsupported-training',
      message,
      'Use one of the losses in torchtune.modules.loss and torchtune.rlhf.loss.',
    )
    return ordinary
  }
  const reference = /SimPO/.test(name) ? 'none' : method === 'full' ? 'copy' : 'adapters-off'
  return preference(reader, loss, { reference, style: 'torchtune', keepsDropout: true })
}

/** modules/loss/kd_losses.py: both losses process the logits in the same number of chunks. */
const DEFAULT_CHUNKS = 8

function readTeacher(reader: FieldReader, document: Section, component: Field): Training {
  const builder = component.value.kind === 'text' ? builderOf(component.value.text).model : ''
  const teacher = findModel(builder)
  if (teacher === undefined) {
    const message = `Unknown teacher model ${quote(component.source)}`
    reader.refuse(component, 'unknown-model', message, 'Use one of the model builders in torchtune.models.')
    return ordinary
  }
  const divergence = componentOf(document, 'kd_loss')
  if (divergence !== undefined && !/ForwardKL/.test(divergence.source)) {
    const message = `Distillation with ${quote(divergence.source)} is not modelled yet`
    reader.refuse(divergence, 'unsupported-training', message, 'Use ForwardKLWithChunkedOutputLoss.')
    return ordinary
  }
  const written = document.at('kd_loss', 'num_output_chunks')
  const chunks = written === undefined ? DEFAULT_CHUNKS : reader.wholeNumber(written, { max: 1_000 })
  return distillation(reader, component, teacher.id, chunks ?? DEFAULT_CHUNKS)
}

const dtypes: Choices<Precision> = new Map<string, Precision>([
  ['bf16', 'bf16'],
  ['fp32', 'fp32'],
])

/** training/precision.py: the type in which weights, gradients and optimizer state are held; there is no autocast. */
function readPrecision(reader: FieldReader, field: Field | undefined): Precision {
  return reader.settle('precision', field, present => reader.choice(present, dtypes), {
    value: 'fp32',
    source: "torchtune's default",
    assumption: "Weights in fp32, torchtune's default: the config sets no dtype.",
  })
}

const optimizers: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  ['AdamW', 'adamw'],
  ['Adam', 'adamw'],
  ['SGD', 'sgd'],
  ['Adafactor', 'adafactor'],
  ['AdamW8bit', 'adamw-8bit'],
  ['Adam8bit', 'adamw-8bit'],
  ['AdamW4bit', 'adamw-8bit'],
  ['PagedAdamW', 'paged-adamw'],
  ['PagedAdamW32bit', 'paged-adamw'],
  ['PagedAdamW8bit', 'paged-adamw-8bit'],
  ['Lion', 'lion'],
])

function readOptimizer(reader: FieldReader, document: Section): Optimizer {
  const component = componentOf(document, 'optimizer')
  return reader.settle(
    'optimizer',
    component,
    present => {
      const name = reader.text(present)?.split('.').at(-1)
      if (name === undefined) return undefined
      const known = optimizers.get(name)
      if (known === undefined) {
        const message = `The optimizer ${quote(present.source)} is not supported yet`
        return reader.refuse(present, 'unsupported-optimizer', message, leaveOut)
      }
      if (name === 'AdamW4bit')
        reader.assumeMore('4-bit AdamW is counted as 8-bit: the estimate is up to 1 byte per parameter high.')
      const isFused = known === 'adamw' && reader.flag(document.at('optimizer', 'fused')) === true
      return isFused ? 'adamw-fused' : known
    },
    { value: 'adamw', source: 'assumed', assumption: 'AdamW: the config sets no optimizer.' },
  )
}

/** training/memory.py register_optim_in_bwd_hooks: one optimizer per parameter, in a hook that runs after its gradient. */
function readInBackward(reader: FieldReader, field: Field | undefined): true | undefined {
  return isOn(reader, field) ? reader.note('optimizerInBackward', true, field) : undefined
}

interface Checkpoints {
  readonly checkpoints: boolean
  readonly checkpointEvery?: number | undefined
}

function readCheckpointing(reader: FieldReader, document: Section, isFull: boolean): Checkpoints {
  const [all, mode] = [document.at('enable_activation_checkpointing'), document.at('ac_mode')]
  if (isFull && mode !== undefined && reader.text(mode) !== undefined) {
    return readMode(reader, mode, document.at('ac_option'), isOn(reader, all) ? all : undefined)
  }
  return {
    checkpoints: reader.settle('gradientCheckpointing', all, field => reader.flag(field), {
      value: false,
      source: "torchtune's default",
    }),
  }
}

const modes: Choices<'none' | 'full' | 'selective'> = new Map([
  ['none', 'none'],
  ['full', 'full'],
  ['selective', 'selective'],
])

/**
 * recipes/full_finetune_distributed.py and qat_distributed.py, training/activations.py: with both switches set nothing is checkpointed;
 * selectively every so many layers, of which 0 says all.
 */
function readMode(reader: FieldReader, field: Field, option: Field | undefined, also: Field | undefined): Checkpoints {
  const mode = reader.choice(field, modes)
  if (also !== undefined || mode === undefined || mode === 'none') {
    return { checkpoints: reader.note('gradientCheckpointing', false, also ?? field) }
  }
  const checkpoints = reader.note('gradientCheckpointing', true, field)
  if (mode === 'full') return { checkpoints }
  if (option === undefined) {
    reader.refuse(
      field,
      'unsupported-setting',
      'ac_mode: selective needs ac_option',
      'Write one, such as ac_option: 2.',
    )
    return { checkpoints }
  }
  const every = reader.wholeNumber(option, { min: 0, max: 1_000 }) ?? 0
  return { checkpoints, ...(every > 1 && { checkpointEvery: reader.note('checkpointEvery', every, option) }) }
}

/** torchtune's names of the layers, and transformers', by which models are described here. */
const layerNames: Readonly<Record<string, readonly string[]>> = {
  q_proj: ['q_proj', 'qkv_proj'],
  k_proj: ['k_proj', 'qkv_proj'],
  v_proj: ['v_proj', 'qkv_proj'],
  output_proj: ['o_proj'],
}
const mlpNames = ['gate_proj', 'up_proj', 'down_proj', 'gate_up_proj', 'fc1', 'fc2']

/** The builders' defaults: rank 8, attention layers alone. */
function readAdapter(reader: FieldReader, document: Section, model: CatalogueModel | undefined): Lora | undefined {
  const field = document.at('model', 'lora_attn_modules')
  const named = readTargets(reader, field)
  const attention = named === undefined || typeof named === 'string' ? Object.keys(layerNames) : named
  const mlp = document.at('model', 'apply_lora_to_mlp')
  const output = document.at('model', 'apply_lora_to_output')
  if (output !== undefined && reader.flag(output) === true) {
    reader.assume('The adapter on the output layer is not counted.')
  }
  return readLora(reader, model, {
    rank: document.at('model', 'lora_rank'),
    defaultRank: { value: 8, source: "torchtune's default" },
    dropout: document.at('model', 'lora_dropout'),
    defaultDropout: 0,
    // modules/peft/lora.py: made in the default type, which is the weights'.
    inWeightsType: true,
    ...(isOn(reader, document.at('model', 'use_dora')) && { form: 'dora' }),
    targets: [
      ...attention.flatMap(name => layerNames[name] ?? [name]),
      ...(mlp !== undefined && reader.flag(mlp) === true ? mlpNames : []),
    ],
    targetField: field,
  })
}

function quantizationOf(reader: FieldReader, document: Section, { method }: Builder, component: Field | undefined) {
  const quantised = document.at('model', 'quantize_base')
  const isQuantised = method === 'qlora' || (quantised !== undefined && reader.flag(quantised) === true)
  const from = method === 'qlora' ? component : quantised
  return isQuantised && from !== undefined ? reader.note('quantization', 'nf4-double' as const, from) : undefined
}

/** training/quantization.py: what a QAT recipe prepares the model with; int8 by token, int4 in groups of 256 by default. */
function readQuantizer(reader: FieldReader, document: Section): TrainingSpec['fakeQuantization'] {
  const quantizer = componentOf(document, 'quantizer')
  const name = reader.text(quantizer)
  if (quantizer === undefined || name === undefined) return undefined
  if (!/Int8DynActInt4WeightQATQuantizer/.test(name)) {
    const message = `Quantisation-aware training with ${quote(name)} is not modelled yet`
    return reader.refuse(quantizer, 'unsupported-training', message, 'Use Int8DynActInt4WeightQATQuantizer.')
  }
  const group = document.at('quantizer', 'groupsize')
  const groupSize = group === undefined ? 256 : reader.wholeNumber(group, { max: 1_000_000 })
  if (groupSize === undefined) return undefined
  reader.assume(
    'Linear layers fake-quantise their input and weight as torchao does, with what that saves for the backward pass.',
  )
  return reader.note('fakeQuantization', { groupSize }, quantizer)
}

/** torch.nn's, and those of modules/loss. */
const ORDINARY_LOSS = /(?:CrossEntropyLoss|CEWithChunkedOutputLoss)$/
const CHUNKED_LOSS = /(?:LinearCrossEntropyLoss|CEWithChunkedOutputLoss)$/

/** modules/loss: both run in eight chunks by default. */
function readChunkedLoss(reader: FieldReader, document: Section): TrainingSpec['chunkedLoss'] {
  const loss = componentOf(document, 'loss')
  if (loss?.value.kind !== 'text' || !CHUNKED_LOSS.test(loss.value.text)) return undefined
  const count = reader.wholeNumber(document.at('loss', 'num_output_chunks'), { max: 1_000 }) ?? DEFAULT_CHUNKS
  const outputLayer = /Linear/.test(loss.value.text) ? 'within' : 'before'
  return reader.note('chunkedLoss', { count, outputLayer }, loss)
}

/** training/_activation_offloading.py; the recipes refuse it without checkpointing. */
function readOffloading(reader: FieldReader, document: Section, checkpoints: boolean): true | undefined {
  const field = document.at('enable_activation_offloading')
  return checkpoints && isOn(reader, field) ? reader.note('offloadsCheckpoints', true, field) : undefined
}
