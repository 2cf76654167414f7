/**
 * The shell commands of a notebook: lines that begin with `!` or `%run`, cells that begin with `%%bash`, and what Python sets
 * for them. All else is blank, so that every offset is one in the notebook's JSON. Read is what Jupyter writes, a line of the JSON
 * for each line of a cell.
 */
import { settingIn, settledNames } from './notebook-values.ts'

const cellType = /^\s*"cell_type": "(\w+)"/
const sourceStart = /^\s*"source": \[\s*$/
/** A string of a list, without the line break that ends it: `  "!python train.py\n",`. */
const written = /^(\s*")((?:[^"\\]|\\[\s\S])*?)((?:\\n)?",?\s*)$/
const shellCell = /^%%(?:bash|sh|script bash)\b/

export function notebookCommands(text: string): string {
  const lines = codeLines(text.split('\n'))
  const settled = settledNames(cellsOf(lines))
  let isShellCell = false
  let isContinued = false
  const kept = lines.map(({ line, code }) => {
    if (code === undefined) return blank(line)
    const { before, content, after, isFirst } = code
    if (isFirst) [isShellCell, isContinued] = [shellCell.test(content), false]
    const isCommand = isContinued || (isShellCell ? !content.startsWith('%%') : /^(?:\s*!(?!=)|%run )/.test(content))
    const goesOn = isCommand && /\\\\$/.test(content)
    isContinued = goesOn
    if (!isCommand) return assignment(before, content, settled, line) ?? blank(line)
    const runs = isContinued || isShellCell ? undefined : ranScript(before, content)
    if (runs !== undefined) return runs + blank(after)
    const command = plainCommand(goesOn ? content.slice(0, -2) : content)
    // What cannot be told ends nothing: its words are missing, and so nothing is made of the rest.
    if (command === undefined) return blank(line)
    const end = goesOn ? `${blank(`  ${after}`).slice(1)}\\` : blank(after)
    return blank(before) + command + end
  })
  return kept.join('\n')
}

interface CodeLine {
  readonly before: string
  readonly content: string
  readonly after: string
  /** Of its cell. */
  readonly isFirst: boolean
}

interface NotebookLine {
  readonly line: string
  /** Where it is of a code cell. */
  readonly code?: CodeLine
}

function codeLines(lines: readonly string[]): readonly NotebookLine[] {
  let [isCode, isSource, isFirst] = [false, false, false]
  return lines.map(line => {
    const type = cellType.exec(line)?.[1]
    if (type !== undefined) isCode = type === 'code'
    if (sourceStart.test(line)) {
      ;[isSource, isFirst] = [true, true]
      return { line }
    }
    if (/^\s*\],?\s*$/.test(line)) isSource = false
    const [, before, content = '', after = ''] = (isSource && isCode && written.exec(line)) || []
    if (before === undefined) return { line }
    const code = { before, content, after, isFirst }
    isFirst = false
    return { line, code }
  })
}

/** The lines of each code cell. */
function cellsOf(lines: readonly NotebookLine[]): readonly (readonly string[])[] {
  const cells: string[][] = []
  for (const { code } of lines) {
    if (code?.isFirst) cells.push([])
    if (code !== undefined) cells.at(-1)?.push(code.content)
  }
  return cells
}

/** `BATCH = 8` as `BATCH=8`, whose value stays where it is. */
function assignment(before: string, content: string, settled: ReadonlySet<string>, line: string): string | undefined {
  const setting = settingIn(content)
  if (setting === undefined || !settled.has(setting.name)) return undefined
  const at = before.length + setting.at
  const named = `${setting.name}=`
  return (blank(line.slice(0, at - named.length)) + named + setting.value).padEnd(line.length)
}

/** `%run train.py --batch 8` as `python train.py --batch 8`. */
function ranScript(before: string, content: string): string | undefined {
  if (!content.startsWith(RUN) || before.length < LONGER) return undefined
  const command = plainCommand(content.slice(RUN.length))
  return command === undefined ? undefined : `${blank(before.slice(LONGER))}python ${command}`
}

const RUN = '%run '
const LONGER = 'python '.length - RUN.length

/** Of the same length. `{name}` is Python's value: `$name`, which `assignment` may have set. Undefined where JSON's escapes hide what is written. */
function plainCommand(content: string): string | undefined {
  const bare = content.replace(/^(\s*)!/, '$1 ').replace(/\{(\w{1,60})\}/g, (_, name: string) => `$${name} `)
  const unescaped = bare.replace(/\\"/g, ' "')
  return unescaped.includes('\\') ? undefined : unescaped
}

function blank(line: string): string {
  return ' '.repeat(line.length)
}
