/**
 * Finds the shape of the model that a config names. In order: a folder of that name in the repository, which wins as in
 * from_pretrained; the catalogue; a config.json beside the training config; the Hub; and the well-known model in the
 * name.
 */
import { posix } from 'node:path'
import { type CatalogueModel, describeModel, findModel } from '../models/catalogue.ts'
import { readConfigJson } from '../models/config-json.ts'
import { isHubId } from '../models/hub.ts'
import { modelInName } from '../models/known-names.ts'
import { saidType } from '../models/stored-type.ts'
import { unquantizedIn } from '../models/unquantized-modules.ts'
import { unsupportedArchitectureOf } from '../models/unsupported-models.ts'
import type { SourceFile } from './reading.ts'
import { firstFile, isPlausibleName, placesOf, type Sources } from './sources.ts'
import { quote } from './text/quote.ts'

export type Resolution =
  | {
      readonly kind: 'resolved'
      readonly model: CatalogueModel
      readonly how: 'repository' | 'catalogue' | 'hub' | 'assumed'
      /** A sentence on where the model's shape is from; absent for the catalogue. */
      readonly sentence?: string
    }
  | { readonly kind: 'unknown' }
  /** `architecture`: the `model_type`; `source`: the config.json that says so, or the model's name. */
  | { readonly kind: 'unsupported'; readonly architecture: string; readonly source: string }
  /** A config.json without the required fields. */
  | { readonly kind: 'invalid'; readonly source: string; readonly why: string }
  /** Gated or private on the Hub. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreachable'; readonly why: string }

/** `configPath`: the path of the training config. */
export async function resolveModel(name: string, sources: Sources, configPath = ''): Promise<Resolution> {
  if (!isPlausibleName(name)) return { kind: 'unknown' }
  const id = idOfCached(name)
  return (
    (await inFolder(name, sources, configPath)) ??
    inCatalogue(id) ??
    (await besideConfig(name, sources, configPath)) ??
    (await onHub(id, sources))
  )
}

/** huggingface_hub's cache: `models--Qwen--Qwen2.5-7B-Instruct/snapshots/a09a…` holds that model's own files. */
const cached = /(?:^|\/)models--((?:[\w.]|-(?!-))+)--([\w.-]+)(?:\/snapshots(?:\/[^/]*)?)?\/?$/

function idOfCached(name: string): string {
  const [, owner, model] = cached.exec(name) ?? []
  return owner === undefined ? name : `${owner}/${model}`
}

/** Only the catalogue and the name, without reading files or asking the Hub. */
export function resolveOffline(name: string): Resolution {
  if (!isPlausibleName(name)) return { kind: 'unknown' }
  const id = idOfCached(name)
  return inCatalogue(id) ?? inName(id) ?? { kind: 'unknown' }
}

async function inFolder(name: string, sources: Sources, configPath: string): Promise<Resolution | undefined> {
  const file = name.endsWith('.json') ? name : posix.join(name, 'config.json')
  const found = await firstFile(placesOf(file, configPath), sources)
  return found && fromFile(name, found)
}

function inCatalogue(name: string): Resolution | undefined {
  const model = findModel(name)
  if (model !== undefined) return { kind: 'resolved', model, how: 'catalogue' }
  const architecture = unsupportedArchitectureOf(name)
  return architecture === undefined ? undefined : { kind: 'unsupported', architecture, source: name }
}

/** Only for names found nowhere else, since from_pretrained would not look there. */
async function besideConfig(name: string, sources: Sources, configPath: string): Promise<Resolution | undefined> {
  const found = await firstFile([posix.join(posix.dirname(configPath), 'config.json')], sources)
  return found === undefined || readConfigJson(found.text).kind === 'not-a-model' ? undefined : fromFile(name, found)
}

async function onHub(name: string, { hub }: Sources): Promise<Resolution> {
  if (hub === undefined || !isHubId(name)) return inName(name) ?? { kind: 'unknown' }
  const answer = await hub.configJson(name)
  switch (answer.kind) {
    case 'found':
      return fromConfigJson(name, answer.text, {
        how: 'hub',
        source: 'its config.json on the Hub',
        sentence: `The model ${quote(name)} is described by its config.json on the Hugging Face Hub.`,
      })
    case 'missing':
      return inName(name) ?? { kind: 'unknown' }
    case 'refused':
      return inName(name) ?? { kind: 'refused' }
    case 'unreachable':
      return inName(name) ?? { kind: 'unreachable', why: answer.why }
  }
}

function inName(name: string): Resolution | undefined {
  const named = modelInName(name)
  switch (named?.kind) {
    case undefined:
      return undefined
    case 'unsupported':
      return { kind: 'unsupported', architecture: named.architecture, source: name }
    case 'model':
      return {
        kind: 'resolved',
        model: { ...named.model, id: name },
        how: 'assumed',
        sentence: `The model ${quote(name)} is assumed to have the shape of ${named.model.id}, by its name: no config.json of its own was found.`,
      }
  }
}

function fromFile(name: string, { path, text }: SourceFile): Resolution {
  const sentence = `The model ${quote(name)} is described by ${quote(path)} in the repository.`
  return fromConfigJson(name, text, { how: 'repository', source: path, sentence })
}

interface Origin {
  readonly how: 'repository' | 'hub'
  readonly source: string
  readonly sentence: string
}

function fromConfigJson(name: string, text: string, { how, source, sentence }: Origin): Resolution {
  const read = readConfigJson(text)
  switch (read.kind) {
    case 'config': {
      const storedType = saidType(read.fields)
      const unquantized = unquantizedIn(read.fields, read.config)
      const model = {
        ...describeModel(name, read.config),
        ...(storedType && { storedType }),
        ...(unquantized && { unquantized }),
      }
      return { kind: 'resolved', model, how, sentence }
    }
    case 'unsupported':
      return { kind: 'unsupported', architecture: read.architecture, source }
    case 'not-a-model':
      return { kind: 'invalid', source, why: 'it has no model_type' }
    case 'invalid':
      return { kind: 'invalid', source, why: read.why }
  }
}
