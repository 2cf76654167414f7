/** Settings as lines of the file that holds them: YAML, TOML, JSON, a script's arguments, a launcher's options. */
import { pythonLiteral, shellWord } from '../../config/text/literals.ts'
import { type Value, yamlLiteral } from '../../config/text/yaml-literal.ts'

export interface Setting {
  /** The keys from the top to it, as of a mapping in mappings. */
  readonly path: readonly [string, ...string[]]
  readonly value: Value
}

/** How a file takes its settings. */
export type Form = 'yaml' | 'toml' | 'json' | 'python' | 'shell'

export function formOf(path: string): Form {
  if (/\.(?:py|ipynb)$/i.test(path)) return 'python'
  if (/\.toml$/i.test(path)) return 'toml'
  if (/\.jsonc?$/i.test(path)) return 'json'
  return /\.ya?ml$/i.test(path) ? 'yaml' : 'shell'
}

/** One key at the top for each. */
export function settings(values: { readonly [key: string]: Value | undefined }): readonly Setting[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ path: [key], value }]))
}

/** `overrides`: in a command, as Hydra takes them. */
export function linesIn(path: string, all: readonly Setting[], overrides = false): string {
  const tree = treeOf(all)
  switch (formOf(path)) {
    case 'yaml':
      return yamlLines(tree, '').join('\n')
    case 'toml':
      return tomlLines(tree).join('\n')
    case 'json':
      return JSON.stringify(tree, null, 2)
    case 'python':
      return all.map(({ path: keys, value }) => `${keys.at(-1)}=${pythonLiteral(value)},`).join('\n')
    case 'shell':
      return all.map(({ path: keys, value }) => optionOf(keys.join('.'), value, overrides)).join(' \\\n')
  }
}

function optionOf(name: string, value: Value, overrides: boolean): string {
  const word = typeof value === 'object' ? `'${JSON.stringify(value)}'` : shellWord(value)
  return overrides ? `${name}=${word}` : `--${name} ${word}`
}

interface Tree {
  [key: string]: Tree | Value
}

function treeOf(all: readonly Setting[]): Tree {
  const top: Tree = {}
  for (const { path, value } of all) {
    let tree = top
    for (const key of path.slice(0, -1)) {
      tree[key] ??= {}
      tree = tree[key] as Tree
    }
    tree[path.at(-1)!] = value
  }
  return top
}

function isTree(value: Tree | Value): value is Tree {
  return typeof value === 'object' && !Array.isArray(value)
}

function yamlLines(tree: Tree, indent: string): readonly string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value)
      ? [`${indent}${key}:`, ...yamlLines(value, `${indent}  `)]
      : [`${indent}${key}: ${yamlLiteral(value)}`],
  )
}

/** Of tables below the top. */
function tomlLines(tree: Tree): readonly string[] {
  return Object.entries(tree).flatMap(([table, value]) => [
    `[${table}]`,
    ...Object.entries(value as Tree).map(([key, inner]) => `${key} = ${JSON.stringify(inner)}`),
  ])
}
