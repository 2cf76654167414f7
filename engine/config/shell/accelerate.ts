/** Accelerate's launch settings (1.10 commands/config/config_args.py, commands/launch.py) as the Trainer's arguments for the same. */
import { findDeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { SourceFile } from '../reading.ts'
import { firstFile, isPlausibleName, placesFromLauncher, type Sources } from '../sources.ts'
import { parseFile } from '../text/document.ts'
import { plain } from '../text/quote.ts'
import { type Field, type FieldValue, Section } from '../text/section.ts'
import { argumentFields } from './arguments.ts'
import type { Launch } from './launch.ts'
import type { ShellText } from './shell-text.ts'

export interface AccelerateFields {
  readonly fields: readonly Field[]
  readonly gpus: Field | undefined
  /** Of a Trainer whose own arguments set neither bf16 nor fp16: its ACCELERATE_MIXED_PRECISION. */
  readonly precision?: Field
  /** Divides the training by what is not read. */
  readonly isUnclear: boolean
  readonly assumptions: readonly string[]
}

export interface AccelerateFile extends AccelerateFields {
  /** Undefined where the repository does not hold it, or where only options say it. */
  readonly file?: SourceFile
  /** What stands in the file of DeepSpeed's settings that it names, where that can be read. */
  readonly deepSpeed?: { readonly file: SourceFile; readonly settings: Section }
}

/** Of the options of a launch, and the file that it names; undefined where it says nothing. */
export async function accelerateFile(
  { accelerateConfig: named, accelerateOptions = [] }: Launch,
  shell: ShellText,
  sources: Pick<Sources, 'readFile'>,
): Promise<AccelerateFile | undefined> {
  const launcherPath = shell.path
  const options = settingsOf(argumentFields({ arguments: accelerateOptions }, shell, launcherPath))
  if (named === undefined)
    return options.length === 0 ? undefined : accelerateFields(Section.of([]).overridden(options))
  const isNamed = named.why === undefined && isPlausibleName(named.text)
  const places = isNamed ? placesFromLauncher(named.text, launcherPath) : []
  const file = await firstFile(
    places.filter(each => !each.startsWith('..') && !each.startsWith('/')),
    sources,
  )
  const parsed = file && parseFile(file)
  if (file !== undefined && parsed?.kind === 'document') {
    const written = parsed.mappings[0]?.writtenIn(file.path) ?? Section.of([])
    const settings = written.overridden(options)
    const named = settings.at('deepspeed_config', 'deepspeed_config_file')?.value
    const found = await findDeepSpeedFile(named?.kind === 'text' ? named.text : undefined, sources, launcherPath)
    const deepSpeedFile = found.kind === 'read' ? await firstFile([found.path], sources) : undefined
    const deepSpeed =
      found.kind === 'read' && deepSpeedFile ? { file: deepSpeedFile, settings: found.settings } : undefined
    return { file, ...(deepSpeed && { deepSpeed }), ...accelerateFields(settings) }
  }
  const sentence = `What ${plain(named.text)} says of processes and sharding is not known, so that nothing blocks: the repository has no such file that can be read.`
  const { fields, precision, assumptions } = accelerateFields(Section.of([]).overridden(options))
  return {
    fields,
    gpus: undefined,
    ...(precision && { precision }),
    isUnclear: true,
    assumptions: [sentence, ...assumptions],
  }
}

const switches: ReadonlyMap<string, string> = new Map([
  ['use_deepspeed', 'DEEPSPEED'],
  ['use_fsdp', 'FSDP'],
  ['use_megatron_lm', 'MEGATRON_LM'],
  ['multi_gpu', 'MULTI_GPU'],
])

/** Options of `accelerate launch` under the paths that they have in its config; what counts processes is not among them. */
function settingsOf(options: readonly Field[]): readonly Field[] {
  return options.flatMap(option => {
    const { key, value } = option
    const type = switches.get(key)
    if (type !== undefined)
      return value.kind === 'flag' && !value.flag ? [] : [as('distributed_type', option, text(type))]
    if (key === 'mixed_precision' || key === 'dynamo_backend') return [option]
    if (/^fsdp_/.test(key)) return [{ ...option, key: `fsdp_config.${key}` }]
    return /^(?:zero_stage|offload_(?:optimizer|param)_device|deepspeed_config_file)$/.test(key)
      ? [{ ...option, key: `deepspeed_config.${key}` }]
      : []
  })
}

function accelerateFields(settings: Section): AccelerateFields {
  const processes = settings.at('num_processes')
  const type = settings.at('distributed_type')
  const named = type?.value.kind === 'text' ? type.value.text.toUpperCase() : 'NO'
  const onCpu = settings.at('use_cpu')
  const isOnCpu = onCpu?.value.kind === 'flag' && onCpu.value.flag
  const gpus = isOnCpu
    ? as('gpus', onCpu, { kind: 'number', number: 0 })
    : processes?.value.kind === 'number'
      ? { ...processes, key: 'gpus' }
      : undefined
  const mixed = settings.at('mixed_precision')
  const precision = precisionField(mixed)
  const isMixed = mixed !== undefined && mixed.value.kind !== 'flag' && mixed.source !== 'no'
  const compiles = settings.at('dynamo_config', 'dynamo_backend') ?? settings.at('dynamo_backend')
  const unread = [
    ...(isMixed && precision === undefined ? [mixed] : []),
    ...(compiles?.value.kind === 'text' && compiles.value.text.toLowerCase() !== 'no' ? [compiles] : []),
    ...meshIn(settings),
  ].map(
    ({ name, file = '', at }) => `Accelerate's ${name} (${file}, line ${at.line}) is not read, so that nothing blocks.`,
  )
  const told = { gpus, ...(precision && { precision }), assumptions: unread, isUnclear: unread.length > 0 }
  if (type === undefined) return { ...told, fields: [] }
  switch (named) {
    case 'FSDP':
      return { ...told, fields: fsdpFields(type, settings.at('fsdp_config')) }
    case 'DEEPSPEED':
      return { ...told, fields: deepSpeedFields(type, settings.at('deepspeed_config')) }
    case 'NO':
    case 'MULTI_GPU':
      return { ...told, fields: [] }
    default: {
      const sentence = `Accelerate's ${plain(named)} (${type.file ?? ''}, line ${type.at.line}) is not read, so that nothing blocks.`
      return { ...told, fields: [], isUnclear: true, assumptions: [...unread, sentence] }
    }
  }
}

/** accelerate 1.15 parallelism_config.py: sizes above one divide layers or tokens, or hold copies of what FSDP divides. */
function meshIn(settings: Section): readonly Field[] {
  const config = settings.at('parallelism_config')?.value
  const fields = config?.kind === 'mapping' ? [...config.section.fields.values()] : []
  return fields.filter(({ key, value }) => /_size$/.test(key) && value.kind === 'number' && value.number > 1)
}

/** fp8 is no argument of the Trainer. */
function precisionField(mixed: Field | undefined): Field | undefined {
  if (mixed?.value.kind !== 'text' || !/^(?:bf|fp)16$/.test(mixed.value.text)) return undefined
  return as(mixed.value.text, mixed, { kind: 'flag', flag: true })
}

const strategies: ReadonlyMap<string, string> = new Map([
  ['1', 'full_shard'],
  ['2', 'shard_grad_op'],
  ['3', 'no_shard'],
  ['4', 'hybrid_shard'],
  ['5', 'hybrid_shard_zero2'],
])

function fsdpFields(type: Field, config: Field | undefined): readonly Field[] {
  const section = config?.value.kind === 'mapping' ? config.value.section : undefined
  const strategy = section?.at('fsdp_sharding_strategy')?.source ?? '1'
  const word = strategies.get(strategy) ?? strategy.toLowerCase()
  const offloads = section?.at('fsdp_offload_params')?.value
  const words = `${word}${offloads?.kind === 'flag' && offloads.flag ? ' offload' : ''} auto_wrap`
  return [as('fsdp', type, text(words)), ...(config === undefined ? [] : [as('fsdp_config', config, config.value)])]
}

function deepSpeedFields(type: Field, config: Field | undefined): readonly Field[] {
  const section = config?.value.kind === 'mapping' ? config.value.section : undefined
  const file = section?.at('deepspeed_config_file')
  if (file !== undefined) return [as('deepspeed', file, file.value)]
  const stage = section?.at('zero_stage')
  if (section === undefined || stage === undefined) return []
  const offload = (key: string) => {
    const device = section.at(`${key}_device`)
    return device === undefined ? [] : [as(key, device, mapping(key, [as('device', device, device.value)]))]
  }
  const zero = [as('stage', stage, stage.value), ...offload('offload_optimizer'), ...offload('offload_param')]
  return [
    as('deepspeed', type, mapping('deepspeed', [as('zero_optimization', stage, mapping('zero_optimization', zero))])),
  ]
}

function as(key: string, field: Field, value: FieldValue): Field {
  return { ...field, key, value }
}

function text(words: string): FieldValue {
  return { kind: 'text', text: words }
}

function mapping(name: string, fields: readonly Field[]): FieldValue {
  return { kind: 'mapping', section: Section.of(fields, name) }
}
