/** Accelerate's launch settings (1.10 commands/config/config_args.py) as the Trainer's arguments for the same. */
import { findDeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { SourceFile } from '../reading.ts'
import { firstFile, isPlausibleName, placesFromLauncher, type Sources } from '../sources.ts'
import { parseFile } from '../text/document.ts'
import { plain } from '../text/quote.ts'
import { type Field, type FieldValue, Section } from '../text/section.ts'
import type { Launch } from './launch.ts'

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
  /** Undefined where the repository does not hold it. */
  readonly file?: SourceFile
  /** What stands in the file of DeepSpeed's settings that it names, where that can be read. */
  readonly deepSpeed?: { readonly file: SourceFile; readonly settings: Section }
}

/** Of the file that a launch names; undefined where it names none. */
export async function accelerateFile(
  { accelerateConfig: named }: Launch,
  launcherPath: string,
  sources: Pick<Sources, 'readFile'>,
): Promise<AccelerateFile | undefined> {
  if (named === undefined) return undefined
  const isNamed = named.why === undefined && isPlausibleName(named.text)
  const places = isNamed ? placesFromLauncher(named.text, launcherPath) : []
  const file = await firstFile(
    places.filter(each => !each.startsWith('..') && !each.startsWith('/')),
    sources,
  )
  const parsed = file && parseFile(file)
  if (file !== undefined && parsed?.kind === 'document') {
    const settings = parsed.mappings[0]?.writtenIn(file.path) ?? Section.of([])
    const named = settings.at('deepspeed_config', 'deepspeed_config_file')?.value
    const found = await findDeepSpeedFile(named?.kind === 'text' ? named.text : undefined, sources, launcherPath)
    const deepSpeedFile = found.kind === 'read' ? await firstFile([found.path], sources) : undefined
    const deepSpeed =
      found.kind === 'read' && deepSpeedFile ? { file: deepSpeedFile, settings: found.settings } : undefined
    return { file, ...(deepSpeed && { deepSpeed }), ...accelerateFields(settings) }
  }
  const sentence = `What ${plain(named.text)} says of processes and sharding is not known, so that nothing blocks: the repository has no such file that can be read.`
  return { fields: [], gpus: undefined, isUnclear: true, assumptions: [sentence] }
}

export function accelerateFields(settings: Section): AccelerateFields {
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
  const precision = precisionField(settings.at('mixed_precision'))
  const told = { gpus, ...(precision && { precision }), assumptions: [], isUnclear: false }
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
      return { ...told, fields: [], isUnclear: true, assumptions: [sentence] }
    }
  }
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
  const text = `${word}${offloads?.kind === 'flag' && offloads.flag ? ' offload' : ''} auto_wrap`
  return [
    as('fsdp', type, { kind: 'text', text }),
    ...(config === undefined ? [] : [as('fsdp_config', config, config.value)]),
  ]
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

function mapping(name: string, fields: readonly Field[]): FieldValue {
  return { kind: 'mapping', section: Section.of(fields, name) }
}
