/**
 * A model that another config of the repository trains: `outputs/sft` in dpo.yaml, which sft.yaml beside it names as its output. The
 * shape is that of the model which the earlier stage starts from.
 */
import { posix } from 'node:path'
import { isStoredForMlx } from '../../models/stored-type.ts'
import { nameIn } from '../fields/model-fields.ts'
import { openConfig } from '../opening/keys.ts'
import type { SourceFile } from '../reading.ts'
import { type Resolution, resolveModel, resolveOffline } from '../resolve-model.ts'
import { isPlausibleName, type Sources } from '../sources.ts'
import { parseFile } from '../text/document.ts'
import { quote } from '../text/quote.ts'
import { soundsLikeStage } from './stage-name.ts'

interface EarlierStage {
  /** The config that trains the model. */
  readonly file: SourceFile
  /** The model that it starts from, as written there. */
  readonly modelName: string
}

/** Configs beside the file that are opened. */
const MAX_OPENED = 12
/** A model may be trained in as many stages before. */
const MAX_STAGES = 4

const outputKeys =
  /^(?:output|save|export|merged?)_(?:model_|adapter_)?(?:dir|directory|path|folder)$|^out(?:put)?_?dir$/
/** What a run writes its model into, below the folder that it is given. */
const ownFolder = /^(?:final|best|last|latest|merged|model|checkpoint|adapter)(?:[-_]\w{1,40}){0,3}$/i
const OUTPUT_LEVELS = 2

/** Undefined where no config beside the file says that it makes the model, or the repository holds a model of that name. */
export async function modelOfEarlierStage(
  name: string,
  path: string,
  sources: Sources,
  noted: Pick<Sources, 'readFile'>,
): Promise<Resolution | undefined> {
  if (!isLocal(name) || sources.readFile === undefined || sources.listFolder === undefined) return undefined
  const stage = firstStage(name, await configsBeside(path, sources))
  if (stage === undefined) return undefined
  // The Hub has no model by the path of a folder.
  const here = await resolveModel(name, noted.readFile ? { readFile: noted.readFile } : {}, path)
  if (here.kind !== 'unknown') return here
  await noted.readFile?.(stage.file.path)
  if (isStoredForMlx(stage.modelName))
    return { kind: 'invalid', source: stage.file.path, why: "it trains in MLX, on Apple's GPUs" }
  const first = await resolveModel(stage.modelName, { ...sources, ...noted }, stage.file.path)
  if (first.kind !== 'resolved') return first
  const sentence = `The model ${quote(name)} has the shape of ${quote(first.model.id)}, from which ${quote(stage.file.path)} trains it; in what type it is saved there is not known, so that nothing blocks.`
  return { ...first, model: { ...first.model, id: name }, how: 'assumed', sentence }
}

async function configsBeside(
  path: string,
  { readFile, listFolder }: Pick<Sources, 'readFile' | 'listFolder'>,
): Promise<readonly SourceFile[]> {
  const folder = posix.dirname(path)
  const names = ((await listFolder?.(folder)) ?? []).filter(soundsLikeStage)
  const others = names.filter(each => each !== posix.basename(path)).slice(0, MAX_OPENED)
  const texts = await Promise.all(others.map(each => readFile?.(posix.join(folder, each))))
  return others.flatMap((each, index): SourceFile[] => {
    const text = texts[index]
    return text === undefined ? [] : [{ path: posix.join(folder, each), text }]
  })
}

function firstStage(name: string, beside: readonly SourceFile[]): EarlierStage | undefined {
  let wanted = name
  let found: EarlierStage | undefined
  for (let stage = 0; stage < MAX_STAGES; stage++) {
    const makers = beside.flatMap(file => trainedFrom(file, wanted))
    const [maker] = makers
    // Runs that all write there may start from different models.
    if (maker === undefined || makers.some(({ modelName }) => modelName !== maker.modelName)) return undefined
    found = { file: maker.file, modelName: maker.modelName }
    if (resolveOffline(maker.modelName).kind !== 'unknown' || !isLocal(maker.modelName)) return found
    wanted = maker.modelName
  }
  return undefined
}

function trainedFrom(file: SourceFile, wanted: string): readonly EarlierStage[] {
  // Most files name it nowhere, and are not parsed.
  if (!file.text.includes(posix.basename(folderOf(wanted)))) return []
  if (!outputsOf(file).some(output => isMadeIn(output, wanted))) return []
  const opened = openConfig(file)
  const modelName = opened.kind === 'open' ? opened.modelName : exportedFrom(file)
  return modelName === undefined || modelName === wanted ? [] : [{ file, modelName }]
}

/** LLaMA-Factory's settings for merging adapters, which train nothing. */
function exportedFrom(file: SourceFile): string | undefined {
  const parsed = parseFile(file)
  const [settings] = parsed.kind === 'unreadable' ? [] : parsed.mappings
  return settings?.at('export_dir') && nameIn(settings.at('model_name_or_path'))
}

/** The folders that it says its results go into. */
function outputsOf(file: SourceFile): readonly string[] {
  const parsed = parseFile(file)
  if (parsed.kind === 'unreadable') return []
  return parsed.mappings
    .flatMap(mapping => mapping.nested(OUTPUT_LEVELS))
    .flatMap(({ fields }) => [...fields.values()])
    .flatMap(({ key, value }) => (outputKeys.test(key) && value.kind === 'text' ? [value.text] : []))
}

function isMadeIn(output: string, wanted: string): boolean {
  const [made, asked] = [posix.normalize(output), posix.normalize(wanted)].map(each => each.replace(/\/$/, ''))
  return made !== undefined && made !== '.' && (made === asked || made === folderOf(asked ?? ''))
}

/** Without the folder that a run makes for its model. */
function folderOf(path: string): string {
  const trimmed = posix.normalize(path).replace(/\/$/, '')
  return ownFolder.test(posix.basename(trimmed)) ? posix.dirname(trimmed) : trimmed
}

function isLocal(name: string): boolean {
  return isPlausibleName(name) && name.includes('/') && !/^[a-z][\w+.-]*:/i.test(name)
}
