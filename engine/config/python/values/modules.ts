/** The files of the repository that a script imports names from, read when a value asks for one. */
import { posix } from 'node:path'
import { MAX_CONFIG_BYTES } from '../../../base/limits.ts'
import { wordSet } from '../../../base/word-list.ts'
import { isPlausibleName, type Sources } from '../../sources.ts'
import { isPythonPath } from '../quick-look.ts'
import type { Module } from '../syntax/module.ts'
import { parsedModule } from '../syntax/parsed-modules.ts'
import { type SettingsFile, settingsFile } from './settings-files.ts'

/** A script's settings stand in few files, each of which may be looked for in several places. */
const MAX_LOOKED_FOR = 80
/** Hydra composes a config of many. */
const MAX_SETTINGS_FILES = 60
/** Of names that one file asks for after another was read. */
const MAX_ROUNDS = 6

/** Of packages, which no repository holds under these names; each other name costs up to four look-ups. */
const installed = wordSet(`
  torch transformers trl peft unsloth datasets accelerate bitsandbytes numpy pandas os sys re json math time random logging
  argparse typing dataclasses pathlib functools collections copy evaluate sklearn scipy matplotlib tqdm wandb mlflow
  huggingface_hub torchvision torchaudio PIL ultralytics timm lightning pytorch_lightning hydra omegaconf yaml click typer fire
  dotenv nltk subprocess shutil datetime itertools enum abc warnings gc string pickle csv io inspect
`)

export class Modules {
  readonly #known = new Map<string, Module | undefined>()
  readonly #settings = new Map<string, SettingsFile | undefined>()
  #wanted: (readonly string[])[] = []
  #wantedSettings: (readonly string[])[] = []

  /** The file that all are read for. */
  readonly #readFor: string | undefined

  /** Of files that are read already, the one that imports the others first. */
  constructor(known: readonly Module[] = []) {
    this.#readFor = known[0]?.readFor
    for (const module of known) this.#known.set(module.path, module)
  }

  /** Those that were read, in the order in which they were. */
  get all(): readonly Module[] {
    return [...this.#known.values()].filter(module => module !== undefined)
  }

  /** Finds a module by its name in an import; one that was not read yet is recorded as needed. */
  readonly find = (importer: Module, name: string): Module | undefined => {
    const places = placesOf(importer, name)
    for (const place of places) {
      const known = this.#known.get(place)
      if (known !== undefined) return known
    }
    if (places.some(place => !this.#known.has(place))) this.#wanted.push(places)
    return undefined
  }

  /** Finds a settings file at the first of its places; one that was not read yet is recorded as needed. */
  readonly findSettings = (places: readonly string[]): SettingsFile | undefined => {
    for (const place of places) {
      const known = this.#settings.get(place)
      if (known !== undefined) return known
    }
    if (places.some(place => !this.#settings.has(place))) this.#wantedSettings.push(places)
    return undefined
  }

  /** Calls `attempt` until it asks for no file that there is and that was not read. */
  async settle<T>(attempt: () => T, { readFile }: Pick<Sources, 'readFile'>): Promise<T> {
    for (let round = 0; ; round++) {
      this.#wanted = []
      this.#wantedSettings = []
      const result = attempt()
      const wanted = this.#wanted
      const wantedSettings = this.#wantedSettings
      const isNone = wanted.length === 0 && wantedSettings.length === 0
      if (isNone || readFile === undefined || round === MAX_ROUNDS) return result
      const isNews = await this.#read(wanted, readFile)
      const isMore = await this.#readSettings(wantedSettings, readFile)
      if (!isNews && !isMore) return result
    }
  }

  async #readSettings(
    wanted: readonly (readonly string[])[],
    readFile: NonNullable<Sources['readFile']>,
  ): Promise<boolean> {
    let isNews = false
    for (const places of wanted) {
      for (const path of places) {
        if (!this.#settings.has(path)) {
          if (this.#settings.size >= MAX_SETTINGS_FILES) return isNews
          const text = await readFile(path)
          const file = text === undefined ? undefined : settingsFile(path, text)
          this.#settings.set(path, file)
          isNews ||= file !== undefined
        }
        if (this.#settings.get(path) !== undefined) break
      }
    }
    return isNews
  }

  async #read(wanted: readonly (readonly string[])[], readFile: NonNullable<Sources['readFile']>): Promise<boolean> {
    let isNews = false
    for (const places of wanted) {
      for (const path of places) {
        if (this.#known.has(path)) {
          if (this.#known.get(path) !== undefined) break
          continue
        }
        if (this.#known.size >= MAX_LOOKED_FOR) return isNews
        const text = (await readFile(path))?.replace(/^\uFEFF/, '')
        const module =
          text === undefined || text.length > MAX_CONFIG_BYTES
            ? undefined
            : parsedModule(path, text, { readFor: this.#readFor, isImported: true })
        this.#known.set(path, module)
        if (module === undefined) continue
        isNews = true
        break
      }
    }
    return isNews
  }
}

/**
 * From the script's own folder, the repository's root, `src`, from where packages are installed that are laid out so, and folders that
 * the script puts on `sys.path`.
 */
function placesOf(importer: Module, name: string): readonly string[] {
  const [, dots = '', rest = ''] = /^(\.*)([\s\S]*)$/.exec(name) ?? []
  if (!isPlausibleName(name) || installed.has(rest.split('.')[0] ?? '')) return []
  const folder = posix.dirname(importer.path)
  const inside = rest.replaceAll('.', '/')
  const roots =
    dots === '' && !isPythonPath(importer.path)
      ? rootsAround(folder)
      : dots === ''
        ? [
            ...(inside.includes('/') ? ['.', folder, 'src'] : [folder, '.']),
            ...packageRoot(folder, inside),
            ...addedFolders(importer),
          ]
        : [posix.join(folder, ...Array<string>(dots.length - 1).fill('..'))]
  const stems = [...new Set(roots.map(root => posix.join(root, inside)))].filter(
    stem => !stem.startsWith('..') || folder.startsWith('..'),
  )
  return stems.flatMap(stem =>
    stem === '.' || inside === '' ? [posix.join(stem, '__init__.py')] : [`${stem}.py`, `${stem}/__init__.py`],
  )
}

/** Folders above a file of settings that its classes are looked for in. */
const MAX_ABOVE = 3

/** Of a file that names classes without importing them: the root, and what is above the file, each with its `src`. */
function rootsAround(folder: string): readonly string[] {
  const parts = folder.split('/').filter(part => part !== '.')
  const above = parts.map((_, index) => parts.slice(0, parts.length - index).join('/')).slice(0, MAX_ABOVE)
  return ['.', 'src', ...above.flatMap(each => [each, posix.join(each, 'src')])]
}

const MAX_ADDED = 4

/** Of each module that imports something, looked for once. */
const foldersAdded = new WeakMap<Module, readonly string[]>()

function addedFolders(module: Module): readonly string[] {
  const known = foldersAdded.get(module) ?? findAddedFolders(module)
  foldersAdded.set(module, known)
  return known
}

/** `sys.path.append("modules")`, from the root or from the script; without a literal, mostly the folder above. */
function findAddedFolders({ path, text }: Module): readonly string[] {
  const folder = posix.dirname(path)
  const added = text.matchAll(/^[ \t]*sys\.path\.(?:append|insert)\(([^\n]{1,200})$/gm)
  const folders = Array.from(added, ([, given = '']) => {
    const [, literal] = /["']([\w.][\w./-]*)["']/.exec(given) ?? []
    return literal === undefined ? [posix.join(folder, '..')] : [literal, posix.join(folder, literal)]
  })
  return [...new Set(folders.slice(0, MAX_ADDED).flat())]
}

/** The folder that holds the package which both are of: `src` for `app/data.py` imported in `src/app/train`. */
function packageRoot(folder: string, inside: string): readonly string[] {
  const [name = ''] = inside.split('/')
  const parts = folder.split('/')
  const at = parts.lastIndexOf(name)
  return at <= 0 ? [] : [parts.slice(0, at).join('/')]
}
