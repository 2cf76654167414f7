/** The requirements in pyproject.toml (PEP 621, PEP 735, Poetry, PDM, uv) and in a Pipfile. */
import type { TomlTable, TomlValue } from 'smol-toml'
import { parsedToml, tableOf } from '../text/toml-text.ts'
import type { OnLine } from './lock-file.ts'
import { libraryNamed, parseRequirement, type Requirement, requirementOf } from './requirement.ts'

/** Empty for invalid TOML, which the tool itself will report. */
export function tomlRequirements(text: string): readonly OnLine[] {
  const top = parsedToml(text)
  if (top === undefined) return []
  const project = tableOf(top.project)
  const tool = tableOf(top.tool)
  const [poetry, pdm, uv] = [tableOf(tool.poetry), tableOf(tool.pdm), tableOf(tool.uv)]
  const lists = [
    uv['override-dependencies'],
    uv['constraint-dependencies'],
    project.dependencies,
    ...Object.values(tableOf(project['optional-dependencies'])),
    ...Object.values(tableOf(top['dependency-groups'])),
    ...Object.values(tableOf(pdm['dev-dependencies'])),
    uv['dev-dependencies'],
  ]
  const groups = Object.values(tableOf(poetry.group)).map(group => tableOf(group).dependencies)
  const tables = [poetry.dependencies, ...groups, poetry['dev-dependencies'], top.packages, top['dev-packages']]
  const all = [...lists.flatMap(listed), ...tables.flatMap(each => keyed(tableOf(each)))]
  // The first exact version and the first range of each library are enough, because one of them is used.
  const first = new Map(
    all.toReversed().map(found => [`${found.requirement.library} ${found.requirement.kind}`, found]),
  )
  return [...first.values()].map(({ requirement, needle }) => ({
    requirement,
    line: lineOf(text, needle),
  }))
}

interface Found {
  readonly requirement: Requirement
  /** By which its line is found; the parser tells none. */
  readonly needle: string | RegExp
}

/** The first line that holds it. */
function lineOf(text: string, needle: string | RegExp): number {
  const offset = typeof needle === 'string' ? text.indexOf(needle) : text.search(needle)
  return text.slice(0, Math.max(0, offset)).split('\n').length
}

/** PEP 508's strings. */
function listed(list: TomlValue | undefined): readonly Found[] {
  if (!Array.isArray(list)) return []
  return list.flatMap(item => {
    const requirement = typeof item === 'string' ? parseRequirement(item) : undefined
    return typeof item === 'string' && requirement ? [{ requirement, needle: item }] : []
  })
}

/** Poetry's and Pipenv's: `transformers = "^4.46"`, or a table with a `version`. */
function keyed(entries: TomlTable): readonly Found[] {
  return Object.entries(entries).flatMap(([name, value]) => {
    const library = libraryNamed(name)
    if (library === undefined) return []
    const { version, tag } = tableOf(value)
    const said = typeof value === 'string' ? value : version
    const versions = typeof said === 'string' ? said : typeof tag === 'string' ? `@ git@${tag}` : ''
    const blanks = '[ \\t]*'
    const needle = new RegExp(`^${blanks}["']?${name}["']?${blanks}=|dependencies\\.["']?${name}["']?${blanks}\\]`, 'm')
    return [{ requirement: requirementOf(library, versions), needle }]
  })
}
