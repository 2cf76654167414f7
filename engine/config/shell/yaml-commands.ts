/**
 * The shell commands that a job's YAML holds under `run`, `command`, `args`, `script` and their like: Kubernetes manifests, dstack
 * tasks, Azure ML jobs, steps of GitHub's workflows. All else is blank, so that every offset is one in the file. What is folded, or
 * has a word on each line, is left out: it is not what the shell would read there.
 */

const key = /^( *)(- +)?(?:run|commands?|args|script|entrypoint|cmd) *:[ \t]*([\s\S]*)$/
/** A block whose lines stay as they are. */
const block = /^\|[-+0-9]*[ \t]*(?:#.*)?$/
/** A list on one line. */
const flow = /^\[[^\]]*\][ \t]*(?:#.*)?$/

/** Longer lines are data. */
const MAX_LINE_CHARACTERS = 5_000

export function yamlCommands(text: string): string {
  const lines = text.split('\n')
  const kept: string[] = []
  for (let index = 0; index < lines.length; ) {
    const line = lines[index]!
    const [, indent = '', dash = '', value = ''] = (line.length <= MAX_LINE_CHARACTERS && key.exec(line)) || []
    const isKey = line.length <= MAX_LINE_CHARACTERS && key.test(line)
    if (!isKey) {
      kept.push(blank(line))
      index += 1
      continue
    }
    const depth = indent.length + dash.length
    if (value === '' || /^#/.test(value)) index = keepItems(lines, index, depth, kept)
    else index = keepValue(lines, index, { value, depth }, kept)
  }
  return kept.join('\n')
}

interface Written {
  readonly value: string
  /** Of the key, or of the dash: what belongs to it is further in. */
  readonly depth: number
}

/** Returns the line after it. */
function keepValue(lines: readonly string[], index: number, { value, depth }: Written, kept: string[]): number {
  const line = lines[index]!
  const before = ' '.repeat(line.length - value.length)
  if (block.test(value)) {
    kept.push(blank(line))
    let next = index + 1
    for (; next < lines.length && isInside(lines[next]!, depth); next++) kept.push(lines[next]!)
    return next
  }
  if (flow.test(value)) kept.push(before + wordsOf(value))
  else if (/^[>|*&!{[]/.test(value)) kept.push(blank(line))
  else kept.push(before + unquoted(value))
  return index + 1
}

/** `commands:` with an item on each line, which is a command where it has several words, or a block. */
function keepItems(lines: readonly string[], index: number, depth: number, kept: string[]): number {
  kept.push(blank(lines[index]!))
  let next = index + 1
  while (next < lines.length) {
    const line = lines[next]!
    const [, indent = '', dash = '', value = ''] = /^( *)(- +)([\s\S]*)$/.exec(line) ?? []
    if (dash === '') {
      if (line.trim() !== '' && !isInside(line, depth)) break
      kept.push(blank(line))
      next += 1
      continue
    }
    if (indent.length < depth) break
    if (block.test(value) || /[ \t]/.test(value.trim()))
      next = keepValue(lines, next, { value, depth: indent.length }, kept)
    else {
      kept.push(blank(line))
      next += 1
    }
  }
  return next
}

function isInside(line: string, depth: number): boolean {
  return line.trim() === '' || /^ */.exec(line)![0].length > depth
}

/** `["torchrun", "train.py"]` → the words in their places. One that is a script itself, `-c`, keeps what it says. */
function wordsOf(value: string): string {
  return value.replace(/"([^"\\]*)"|'([^']*)'|[[\],]/g, (found, double: string, single: string) => {
    const word = double ?? single
    return word === undefined ? ' ' : ` ${word} `.slice(0, found.length)
  })
}

function unquoted(value: string): string {
  const [, quote = '', inner = ''] = /^(["'])(.*)\1[ \t]*$/.exec(value) ?? []
  return quote === '' ? value : ` ${inner} `
}

function blank(line: string): string {
  return ' '.repeat(line.length)
}
