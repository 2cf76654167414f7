/**
 * marimo's notebooks are Python files in which each cell is a function: it takes what other cells define, and returns what it defines.
 * marimo writes them itself (marimo/_ast/codegen.py), so that their form is always this.
 */

const isMarimo = /^import marimo\b/m
const cellDecorator = /^@app\.cell\b/
/** Functions and classes that cells share, which are Python as it stands. */
const sharedDecorator = /^@app\.(?:function|class_definition)\b/
const setup = /^(?:async )?with app\.setup\b/
const cellFunction = /^(?:async )?def \w+\(/
const returned = /^ {4}return\b/

/** No shorter line begins a cell: `def _(`. */
const ALWAYS = 'if 1:'

/**
 * The cells as statements of one file, in the order in which they are written, each at its offset. Undefined for other files.
 * marimo runs cells in the order of what they take from each other: one that is written above what it takes is read as it stands.
 */
export function withoutCells(text: string): string | undefined {
  if (!isMarimo.test(text)) return undefined
  const lines = text.split('\n')
  let hasCells = false
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (sharedDecorator.test(line)) lines[index] = blank(line)
    else if (setup.test(line)) lines[index] = inPlaceOf(line)
    else if (cellDecorator.test(line)) {
      const last = openCell(lines, index)
      hasCells ||= last !== undefined
      index = last ?? index
    }
  }
  return hasCells ? lines.join('\n') : undefined
}

/** `decorator`: its line. Returns the cell's last line; undefined, and changes nothing, where no function follows. */
function openCell(lines: string[], decorator: number): number | undefined {
  const signature = nextLine(lines, decorator + 1, line => /^\S/.test(line) && !line.startsWith(')'))
  if (!cellFunction.test(lines[signature] ?? '')) return undefined
  let end = signature
  while (lines[end]?.trimEnd().endsWith(':') !== true) {
    end++
    if (!/^[\s)]/.test(lines[end] ?? '')) return undefined
  }
  for (let index = decorator; index <= end; index++) lines[index] = blank(lines[index] ?? '')
  lines[signature] = inPlaceOf(lines[signature] ?? '')
  const after = nextLine(lines, end + 1, line => /^[^\s)\]}]/.test(line))
  let last = after - 1
  while (last > end && !returned.test(lines[last] ?? '')) last--
  for (let index = last; index < after && last > end; index++) {
    const length = lines[index]?.length ?? 0
    lines[index] = (index === last ? '    pass' : '').padEnd(length).slice(0, length)
  }
  return after - 1
}

/** The first from `from` on that is so; the number of lines where none is. */
function nextLine(lines: readonly string[], from: number, isSo: (line: string) => boolean): number {
  let index = from
  while (index < lines.length && !isSo(lines[index] ?? '')) index++
  return index
}

function blank(line: string): string {
  return ' '.repeat(line.length)
}

function inPlaceOf(line: string): string {
  return ALWAYS.padEnd(line.length)
}
