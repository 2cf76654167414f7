/** Hydra's defaults lists, as of 1.3: hydra/core/default_element.py and hydra/_internal/config_repository.py, _create_defaults_list. */
import { posix } from 'node:path'
import type { FieldValue, Section } from '../../text/section.ts'

/** One line of a defaults list. */
export type DefaultsEntry =
  | { readonly kind: 'self' }
  /** `- model: gpt2`, or `- base` for a config of the same folder, without a group. */
  | {
      readonly kind: 'config' | 'override'
      /** What a launcher or another config chooses it by: `model`, `model@teacher`. */
      readonly key: string | undefined
      /** The folder, below that of the configs. */
      readonly folder: string
      readonly options: readonly string[]
      readonly package: readonly string[]
      readonly isOptional: boolean
    }

/** Where the config with the list stands: its folder, and the keys under which it is merged. */
export interface Holder {
  readonly folder: string
  readonly package: readonly string[]
}

export function defaultsOf(top: Section, holder: Holder): readonly DefaultsEntry[] {
  const list = top.fields.get('defaults')?.value
  return list?.kind === 'list' ? list.items.slice(0, MAX_ENTRIES).flatMap(item => entryOf(item, holder)) : []
}

const MAX_ENTRIES = 50

function entryOf(item: FieldValue, holder: Holder): readonly DefaultsEntry[] {
  if (item.kind === 'text') {
    if (item.text === '_self_') return [{ kind: 'self' }]
    const [name = '', at] = item.text.split('@')
    const folder = name.startsWith('/') ? '' : holder.folder
    const own = { key: undefined, folder, options: [withoutEnding(name.replace(/^\//, ''))], isOptional: false }
    return [{ kind: 'config', ...own, package: below(holder, at ?? '') }]
  }
  if (item.kind !== 'mapping') return []
  return [...item.section.fields.values()].flatMap(({ key, value }) => {
    const [, words = '', written = ''] = /^((?:override |optional )*)([\s\S]*)$/.exec(key.trim()) ?? []
    const [group = '', at] = written.split('@')
    const relative = group.replace(/^\//, '')
    const folder = group.startsWith('/') ? relative : posix.join(holder.folder, relative)
    // What concerns Hydra itself: logging, launchers, sweepers.
    if (folder === 'hydra' || folder.startsWith('hydra/')) return []
    return {
      kind: words.includes('override') ? ('override' as const) : ('config' as const),
      key: at === undefined ? folder : `${folder}@${at}`,
      folder,
      options: optionsOf(value),
      package: below(holder, at ?? relative.replaceAll('/', '.')),
      isOptional: words.includes('optional'),
    }
  })
}

/** As paths without an ending, which may be written too. */
function optionsOf(value: FieldValue): readonly string[] {
  if (value.kind === 'text') return [withoutEnding(value.text)]
  if (value.kind === 'number') return [String(value.number)]
  return value.kind === 'list'
    ? value.items.flatMap(item => (item.kind === 'text' ? [withoutEnding(item.text)] : []))
    : []
}

export function withoutEnding(path: string): string {
  return path.replace(/\.ya?ml$/, '')
}

function below(holder: Holder, written: string): readonly string[] {
  const keys = written.split('.').filter(key => key !== '')
  const from = keys.lastIndexOf('_global_')
  return from >= 0
    ? keys.slice(from + 1)
    : [...holder.package, ...keys.filter(key => key !== '_here_' && key !== '_group_')]
}

/** `# @package _global_` above a config's first value, which counts where the list says no package. */
export function headerOf(text: string): readonly string[] | undefined {
  const [, written] = /^(?:\s*#[^\n]*\n){0,20}?\s*#\s*@package[ :]+([\w.]+)/.exec(text) ?? []
  if (written === undefined || written === '_group_') return undefined
  return written.split('.').filter(key => key !== '_global_')
}
