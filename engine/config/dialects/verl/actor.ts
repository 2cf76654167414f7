/** The actor's update of PPO, GRPO and their kin, workers/fsdp_workers.py and workers/actor/dp_actor.py. */
import type { FieldReader } from '../../fields/fields.ts'
import { readGpus as readGpusOfLaunch } from '../../fields/gpus.ts'
import { type ModelLookup, readModel } from '../../fields/model-fields.ts'
import type { Reading } from '../../reading.ts'
import { hangsOnMachine } from '../../shell/counted-list.ts'
import { type Field, Section } from '../../text/section.ts'
import { trainsTowers } from '../../trainer/images.ts'
import { languageModelReading } from '../../trainer/language-model.ts'
import { isOn } from '../../trainer/method.ts'
import { readActorBatch } from './actor-batch.ts'
import { modelOfActor } from './model-field.ts'
import { readMethod, refuseRewardModel } from './rollouts.ts'
import {
  readActivationOffload,
  readAdapter,
  readCheckpointing,
  readOptimizer,
  readPrecision,
  readSharding,
  readShards,
  readUlysses,
  refuse,
  refuseFsdpSettings,
  refuseImages,
  refuseModelSettings,
  refuseSwitches,
  sectionAt,
} from './settings.ts'

const DEFAULT_LENGTH = 512

export function readActor(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  const actor = sectionAt(document, 'actor_rollout_ref', 'actor') ?? Section.of([])
  const part = sectionAt(document, 'actor_rollout_ref', 'model') ?? Section.of([])
  if (!saysBatch(actor)) {
    return {
      kind: 'not-a-training-config',
      why: 'It sets no size of micro-batches, without which verl does not start: that is left to a command or another file.',
    }
  }
  refuseBase(reader, document)
  refuseRewardModel(reader, document)
  const model = readModel(reader, modelOfActor(document), 'actor_rollout_ref.model.path', lookUp)
  const gpus = readGpus(reader, document)
  const fsdp = sectionAt(actor, 'fsdp_config')
  refuseModelSettings(reader, part)
  refuseFsdpSettings(reader, fsdp)
  refuseSwitches(reader, [actor.at('use_fused_kernels')])
  const prompt = readLength(reader, document.at('data', 'max_prompt_length'))
  const answer = readLength(reader, ownResponseLength(document) ?? document.at('data', 'max_response_length'))
  const isPadded = readPadding(reader, part.at('use_remove_padding'))
  const size = 'ulysses_sequence_parallel_size'
  const fields = [actor.at(size), actor.at('fsdp_config', size)]
  const shared = readUlysses(reader, { fields, gpus, removesPadding: !isPadded })
  const terms = { gpus, shared, isPadded, longest: prompt + answer }
  const { row, ...batch } = readActorBatch(reader, document, terms)
  const checkpoints = readCheckpointing(reader, part.at('enable_gradient_checkpointing'))
  const method = readMethod(reader, document, { ...terms, batch, row, answer, checkpoints })
  const lora = readAdapter(reader, part, model)
  const towers = trainsTowers(model)
  // Tiles of images that cross-attention reads, and a critic of the same model.
  if (towers === undefined || method.criticHolds !== undefined) refuseImages(reader, modelOfActor(document), model)
  return languageModelReading(reader, {
    dialect: 'verl',
    loop: 'verl',
    model,
    batch,
    sequence: {
      field: undefined,
      isRow: row !== undefined,
      dividedBy: shared,
      byDefault: {
        value: row ?? prompt + answer,
        source: row === undefined ? 'max_prompt_length and max_response_length' : 'ppo_max_token_len_per_gpu',
        assumption:
          row === undefined
            ? `Sequences of up to ${prompt + answer} tokens: the longest prompt and the longest response.`
            : `A micro-batch is one row of sequences, up to ${row} tokens together (use_dynamic_bsz), and attention is counted across all of it.`,
      },
    },
    settings: {
      gpus,
      ...readSharding(reader, actor.at('strategy'), 'fsdp'),
      ...readShards(reader, fsdp?.at('fsdp_size'), gpus),
      method,
      precision: readPrecision(reader, fsdp?.at('model_dtype')),
      optimizer: readOptimizer(reader, sectionAt(actor, 'optim')),
      attention: reader.note('attention', 'flash', "verl's default kernel"),
      gradientCheckpointing: checkpoints,
      ...readActivationOffload(reader, part.at('enable_activation_offload'), checkpoints),
      lora,
      // workers/fsdp_workers.py: the vision tower trains too, unless it is frozen.
      trainsTowers: lora === undefined && !isOn(reader, actor.at('freeze_vision_tower')) ? towers : undefined,
      paddedBatches: isPadded,
    },
  })
}

function readLength(reader: FieldReader, field: Field | undefined): number {
  return reader.wholeNumber(field, { max: 10_000_000 }) ?? DEFAULT_LENGTH
}

/** What the rollout is set to itself; verl's own files take it from the data's. */
function ownResponseLength(document: Section): Field | undefined {
  const field = document.at('actor_rollout_ref', 'rollout', 'response_length')
  return field?.value.kind === 'number' ? field : undefined
}

/** Without one of them, verl does not start. */
function saysBatch(actor: Section): boolean {
  const isWritten = (key: string) => (actor.at(key)?.value.kind ?? 'empty') !== 'empty'
  const isDynamic = actor.at('use_dynamic_bsz')?.source.toLowerCase() === 'true'
  return isDynamic || isWritten('ppo_micro_batch_size_per_gpu') || isWritten('ppo_micro_batch_size')
}

/** trainer/main_ppo.py: values that the command leaves out come from `ppo_trainer`, unless it names another. */
function refuseBase(reader: FieldReader, document: Section): void {
  const name = document.at('config_name')
  if (name === undefined || /^ppo_trainer(?:\.ya?ml)?$/.test(reader.text(name) ?? '')) return
  refuse(reader, name, `A config other than ppo_trainer as the base`)
}

function readGpus(reader: FieldReader, document: Section): number {
  const [each, machines] = [document.at('trainer', 'n_gpus_per_node'), document.at('trainer', 'nnodes')]
  if (reader.supplies('gpus')) return reader.wholeNumber(reader.fieldFor('gpus', undefined), { max: 100_000 }) ?? 1
  // `$(nvidia-smi -L | wc -l)`: as many as the machine has.
  if (each?.value.kind === 'open' && hangsOnMachine(each.source)) return readGpusOfLaunch(reader, undefined, 'fsdp')
  const count = (field: Field | undefined, byDefault: number) =>
    (field && reader.wholeNumber(field, { max: 10_000 })) ?? byDefault
  return reader.note('gpus', count(each, 8) * count(machines, 1), each ?? "verl's default")
}

/** Removing it is the default since 0.7. What the batches then hold depends on how long the responses are. */
function readPadding(reader: FieldReader, field: Field | undefined): boolean {
  const removes = field === undefined || reader.flag(field) !== false
  if (removes) {
    reader.leavesLengthOpen = true
    reader.assume(
      'Padding is removed, so that a step takes less where prompts and responses are shorter than they may be.',
    )
  }
  return reader.note('paddedBatches', !removes, field ?? 'removed since verl 0.7')
}
