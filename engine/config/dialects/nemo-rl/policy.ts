/** Settings of the policy: workers/dtensor_policy_worker.py, and models/automodel/setup.py for the second worker. */
import { familyOf, isVisionLanguageModel, linearsOf } from '../../../models/architecture.ts'
import type { CatalogueModel } from '../../../models/catalogue.ts'
import type { Optimizer, Precision } from '../../../training/choices.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import type { Choices, FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { type Lora, readLora, type Targets } from '../../trainer/adapter.ts'
import { isOn } from '../../trainer/method.ts'
import { notModelled } from '../unmodelled-tools.ts'
import type { Division } from './division.ts'
import { refuse } from './refuse.ts'
import { written } from './written.ts'

/** Weights are float32, of which FSDP gathers copies in this type; autocast is on either way. */
export function readPrecision(
  reader: FieldReader,
  document: Section,
  { isSharded }: Division,
): Pick<TrainingSpec, 'precision' | 'autocasts'> {
  const types: Choices<Precision> = new Map<string, Precision>([
    ['bfloat16', isSharded ? 'bf16-master' : 'amp-bf16'],
    ['float32', 'fp32'],
  ])
  const field = document.at('policy', 'precision')
  const mixed: Precision = isSharded ? 'bf16-master' : 'amp-bf16'
  const precision = reader.settle('precision', field, present => reader.choice(present, types), {
    value: mixed,
    source: "NeMo RL's own configs",
  })
  return precision === 'bf16-master' ? { precision, autocasts: true } : { precision }
}

/** Models whose blocks have the four modules that the first worker wraps, and no norms beside. */
const wrapped = new Set([
  'llama',
  'mistral',
  'qwen2',
  'qwen3',
  'smollm3',
  'phi3',
  'granite',
  'qwen3_moe',
  'qwen2_moe',
  'mixtral',
])

/**
 * The first worker checkpoints the parts of blocks (models/dtensor/parallelize.py), the second blocks, as transformers does, which are
 * given float32 (NeMo AutoModel's components/distributed/parallelizer.py).
 */
export function readCheckpointing(
  reader: FieldReader,
  document: Section,
  { isSecond, isSharded }: Division,
  model: CatalogueModel | undefined,
): Pick<TrainingSpec, 'gradientCheckpointing'> &
  Partial<Pick<TrainingSpec, 'checkpointsModules' | 'reentrantCheckpoints'>> {
  const field = document.at('policy', 'dtensor_cfg', 'activation_checkpointing')
  const isChecked = isOn(reader, field)
  const gradientCheckpointing = reader.note('gradientCheckpointing', isChecked, field ?? 'off where nothing is written')
  if (!isChecked) return { gradientCheckpointing }
  if (!isSharded) return { gradientCheckpointing }
  if (isSecond) {
    reader.assume('Blocks are checkpointed whole, as NeMo RL does from 0.6 on; releases before kept more of each.')
    return { gradientCheckpointing, reentrantCheckpoints: true }
  }
  if (model !== undefined && !wrapped.has(model.config.model_type))
    refuse(reader, field, `Checkpointing the parts of ${model.family} blocks`)
  return { gradientCheckpointing, checkpointsModules: true, reentrantCheckpoints: false }
}

/** torch's AdamW steps with one parameter after the other where they are DTensors and nothing else is asked for. */
export function readOptimizer(reader: FieldReader, document: Section, { isSharded }: Division): Optimizer {
  const name = document.at('policy', 'optimizer', 'name')
  if (name !== undefined && !/^torch\.optim\.Adam(?:W)?$/.test(reader.text(name) ?? 'torch.optim.AdamW'))
    refuse(reader, name, `The optimizer ${quote(name.source)}`)
  const kwarg = (key: string) => written(document.at('policy', 'optimizer', 'kwargs', key))
  const from = name ?? "NeMo RL's own configs"
  if (isOn(reader, kwarg('fused'))) return reader.note('optimizer', 'adamw-fused', from)
  const foreach = kwarg('foreach')
  const isTogether = foreach === undefined ? !isSharded : reader.flag(foreach) === true
  return reader.note('optimizer', isTogether ? 'adamw' : 'adamw-loop', from)
}

export function readAdapter(
  reader: FieldReader,
  document: Section,
  { isSecond }: Division,
  model: CatalogueModel | undefined,
): Lora | undefined {
  const at = (key: string) => written(document.at('policy', 'dtensor_cfg', 'lora_cfg', key))
  const enabled = at('enabled')
  if (!isOn(reader, enabled)) return undefined
  if (!isSecond)
    reader.refuse(
      enabled,
      'unsupported-setting',
      'NeMo RL does not start with adapters without dtensor_cfg._v2',
      'Set policy.dtensor_cfg._v2: true, or leave the adapters out.',
    )
  const dropout = at('dropout')
  if (dropout !== undefined && (reader.share(dropout) ?? 0) > 0) refuse(reader, dropout, dropout.name)
  if (isOn(reader, at('use_dora'))) refuse(reader, at('use_dora')!, 'DoRA')
  const excluded = at('exclude_modules')
  if (excluded?.value.kind === 'list' && excluded.value.items.length > 0) refuse(reader, excluded, excluded.name)
  const everyLinear = at('match_all_linear')
  const named = at('target_modules')
  return readLora(reader, model, {
    rank: at('dim'),
    defaultRank: { value: 8, source: "NeMo AutoModel's default" },
    dropout: undefined,
    defaultDropout: 0,
    targets: targetsIn(model, isOn(reader, everyLinear) ? undefined : named),
    targetField: named ?? everyLinear ?? enabled,
    inWeightsType: true,
  })
}

/** components/_peft/module_matcher.py: names, or paths with wildcards; every linear layer, the output's too, where none is named. */
function targetsIn(model: CatalogueModel | undefined, named: Field | undefined): Targets {
  const all = (model && linearsOf(model.config)?.all) ?? []
  const items = named?.value.kind === 'list' ? named.value.items : named === undefined ? [] : [named.value]
  const names = items.flatMap(item => (item.kind === 'text' ? [item.text.split('.').at(-1) ?? ''] : []))
  if (names.length === 0) return [...all, 'lm_head']
  return names.flatMap(name => {
    if (!name.includes('*')) return [name]
    const [start = '', end = ''] = name.split('*', 2)
    return all.filter(each => each.startsWith(start) && each.endsWith(end))
  })
}

/** What nothing here estimates, each by its name. */
export function refuseOthers(
  reader: FieldReader,
  document: Section,
  { isSecond, spec }: Division,
  model: CatalogueModel | undefined,
): void {
  const at = (key: string) => written(document.at('policy', 'dtensor_cfg', key))
  const experts = at('expert_parallel_size')
  if (experts !== undefined && (reader.wholeNumber(experts, { max: 100_000 }) ?? 1) > 1)
    refuse(reader, experts, experts.name)
  const plan = at('custom_parallel_plan')
  if (plan !== undefined && spec.tensorParallel !== undefined) refuse(reader, plan, plan.name)
  refuseKwargs(reader, at('automodel_kwargs'))
  const overrides = written(document.at('policy', 'hf_config_overrides'))
  if (overrides?.value.kind === 'mapping')
    for (const field of overrides.value.section.fields.values())
      if (!/^(?:rope_\w+|max_position_embeddings)$/.test(field.key)) refuse(reader, field, field.name)
  const draft = document.at('policy', 'draft', 'enabled')
  if (isOn(reader, draft)) refuse(reader, draft, draft.name)
  if (model === undefined) return
  if (isVisionLanguageModel(model.config))
    reader.refuse(
      document.at('policy', 'model_name'),
      'unsupported-training',
      'Training on images with NeMo RL is not modelled yet',
      leaveOut,
    )
  if (isSecond && hasOwnCode(model))
    reader.refuse(
      document.at('policy', 'model_name'),
      ...notModelled(`The second worker of NeMo RL runs ${quote(model.id)} in NeMo AutoModel's own code`),
    )
}

/** Megatron's memory hangs on its own models, buffers and schedules. False where nothing else of the config is worth reading. */
export function readBackend(reader: FieldReader, document: Section): boolean {
  const megatron = document.at('policy', 'megatron_cfg', 'enabled')
  if (isOn(reader, megatron)) {
    reader.refuse(megatron, ...notModelled('NeMo RL trains with Megatron here'))
    return false
  }
  const enabled = document.at('policy', 'dtensor_cfg', 'enabled')
  if (enabled !== undefined && reader.flag(enabled) === true) return true
  const subject =
    'Of NeMo RL the workers on DTensors are modelled (policy.dtensor_cfg.enabled), and this config asks for another'
  reader.refuse(enabled ?? document.at('policy'), ...notModelled(subject))
  return false
}

/** Of from_pretrained; `force_hf` asks for transformers' own code. */
function refuseKwargs(reader: FieldReader, kwargs: Field | undefined): void {
  if (kwargs?.value.kind !== 'mapping') return
  for (const field of kwargs.value.section.fields.values())
    if (field.key !== 'force_hf' && !(field.value.kind === 'flag' && !field.value.flag))
      refuse(reader, field, field.name)
}

/**
 * nemo_automodel/_transformers/registry.py: dense Llama and Qwen 2, which cannot sync their weights, are loaded as transformers has
 * them (models/automodel/setup.py _maybe_set_force_hf).
 */
const ownCode = new Set([
  'baichuan',
  'ministral3',
  'mistral3',
  'mistral4',
  'gemma4',
  'gemma4_text',
  'nemotron_h',
  'step3p5',
])

function hasOwnCode({ config }: CatalogueModel): boolean {
  return ownCode.has(config.model_type) || familyOf(config).experts !== undefined
}
