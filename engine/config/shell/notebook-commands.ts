/**
 * The shell commands of a notebook: lines that begin with `!`, and cells that begin with `%%bash`. All else is blank, so that every
 * offset is one in the notebook's JSON. Read is what Jupyter writes, a line of the JSON for each line of a cell.
 */

const cellType = /^\s*"cell_type": "(\w+)"/
const sourceStart = /^\s*"source": \[\s*$/
/** A string of a list, without the line break that ends it: `  "!python train.py\n",`. */
const written = /^(\s*")((?:[^"\\]|\\[\s\S])*?)((?:\\n)?",?\s*)$/
const shellCell = /^%%(?:bash|sh|script bash)\b/

export function notebookCommands(text: string): string {
  let isCode = false
  let isSource = false
  let isFirst = false
  let isShellCell = false
  let isContinued = false
  const kept = text.split('\n').map(line => {
    const type = cellType.exec(line)?.[1]
    if (type !== undefined) isCode = type === 'code'
    if (sourceStart.test(line)) {
      ;[isSource, isFirst, isShellCell, isContinued] = [true, true, false, false]
      return blank(line)
    }
    if (/^\s*\],?\s*$/.test(line)) isSource = false
    const [, before, content = '', after = ''] = (isSource && isCode && written.exec(line)) || []
    if (before === undefined) return blank(line)
    if (isFirst && shellCell.test(content)) isShellCell = true
    isFirst = false
    const isCommand = isContinued || (isShellCell ? !content.startsWith('%%') : /^\s*!(?!=)/.test(content))
    const goesOn = isCommand && /\\\\$/.test(content)
    isContinued = goesOn
    if (!isCommand) return blank(line)
    const command = plainCommand(goesOn ? content.slice(0, -2) : content)
    // What cannot be told ends nothing: its words are missing, and so nothing is made of the rest.
    if (command === undefined) return blank(line)
    const end = goesOn ? `${blank(`  ${after}`).slice(1)}\\` : blank(after)
    return blank(before) + command + end
  })
  return kept.join('\n')
}

/** Of the same length. `{name}` is Python's value, which nothing here knows. Undefined where JSON's escapes hide what is written. */
function plainCommand(content: string): string | undefined {
  const bare = content.replace(/^(\s*)!/, '$1 ').replace(/\{(\w{1,60})\}/g, (_, name: string) => `$${name} `)
  const unescaped = bare.replace(/\\"/g, ' "')
  return unescaped.includes('\\') ? undefined : unescaped
}

function blank(line: string): string {
  return ' '.repeat(line.length)
}
