/**
 * The shell commands in a file, as one text of the same length in which all else is blank: every offset in it is an offset in the
 * file. A Makefile's recipes, a Dockerfile's RUN, CMD and ENTRYPOINT, the `run` of a SkyPilot task, the commands of other jobs in YAML, a batch
 * script as it is.
 */
import { posix } from 'node:path'
import { isYamlPath, mayBeSkyPilot } from '../job/quick-look.ts'
import { skyPilotCommands } from '../job/skypilot.ts'
import { isNotebookPath } from '../python/quick-look.ts'
import { notebookCommands } from './notebook-commands.ts'
import { yamlCommands } from './yaml-commands.ts'

export function shellIn(path: string, text: string): string {
  const name = posix.basename(path)
  if (/^(?:GNUmakefile|[Mm]akefile)$|\.mk$/i.test(name)) return ofMakefile(text)
  if (/^[Jj]ustfile$/.test(name)) return ofJustfile(text)
  if (isNotebookPath(name)) return notebookCommands(text)
  if (isYamlPath(name)) return mayBeSkyPilot(text) ? skyPilotCommands(text) : yamlCommands(text)
  if (/Dockerfile/.test(name)) return ofDockerfile(text)
  // A backslash at the very end continues nothing, and bash drops it.
  return text.endsWith('\\') ? `${text.slice(0, -1)} ` : text
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

/** Lines, each with those that it continues on after a backslash. */
function logicalLines(text: string): readonly string[] {
  return text.match(/(?:[^\\\n]|\\[^\n]?\n?)*(?:\n|$)/g)?.filter(line => line !== '') ?? []
}

/** `VAR ?= 8` and `VAR := 8` are assignments of literals; `$(VAR)` and `$$VAR` in recipes are the shell's `${VAR}` and `$VAR`. */
function ofMakefile(text: string): string {
  return logicalLines(text)
    .map(line => {
      if (line.startsWith('\t')) return makeVariables(line.replace(/^\t[@+-]{0,3}/, blank))
      const assigned =
        /^((?:export )?[ ]*)([A-Za-z_]\w*)([ ]*(?:[:?]{0,2}=)[ ]*)([^\s#$"'`;&|<>()]+)[ ]*(?:#.*)?\n?$/.exec(line)
      if (assigned === null) return blank(line)
      const [, before = '', name = '', sign = '', value = ''] = assigned
      // `NAME=value` in the place of `NAME := value`: the name moves up to its value.
      const assignment = `${blank(before)}${' '.repeat(sign.length - 1)}${name}=${value}`
      return assignment + blank(line.slice(assignment.length))
    })
    .join('')
}

function makeVariables(line: string): string {
  return line.replace(/\$\((\w{1,80})\)/g, (_, name: string) => `$\{${name}}`).replace(/\$\$(?=[\w{])/g, ' $')
}

/** Recipes are indented; `{{name}}` is the just's own, and stays as it is. */
function ofJustfile(text: string): string {
  return logicalLines(text)
    .map(line => (/^[ \t]+\S/.test(line) ? line.replace(/^[ \t]+[@-]{0,2}/, blank) : blank(line)))
    .join('')
}

/** `CMD ["torchrun", "train.py"]` is a list of words; `ENV NAME=value` an assignment. */
function ofDockerfile(text: string): string {
  return logicalLines(text)
    .map(line => {
      const [, keyword = '', rest = ''] = /^(\s*(?:RUN|CMD|ENTRYPOINT|ENV)\s+)([\s\S]*)$/i.exec(line) ?? []
      if (keyword === '') return blank(line)
      if (!/^\[/.test(rest)) return blank(keyword) + rest
      return (
        blank(keyword) +
        rest.replace(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[[\],]/g, part => (part.startsWith('"') ? part : ' '))
      )
    })
    .join('')
}
