/**
 * What a notebook's commands are given of its Python: `BATCH = 8`, and then `!python train.py --batch {BATCH}`. Only names that plain
 * lines of cells set to a number or a word, and nothing else sets.
 */

/** Of JSON, whose own quotes are escaped. */
const setsLiteral =
  /^([A-Za-z_]\w{0,60}) ?= ?(?:(\d[\d.]{0,15}(?:e-?\d{1,3})?)|'([\w./:@-]{1,200})'|\\"([\w./:@-]{1,200})\\") {0,20}(?:#.*)?$/
const isText = /'''|\\"\\"\\"/
const otherMagic = /^%%(?!capture|time)/

/** A line as Python has it, with the offset of the value in it. */
export interface Setting {
  readonly name: string
  readonly value: string
  readonly at: number
}

export function settingIn(content: string): Setting | undefined {
  const [whole, name, number, single, double] = setsLiteral.exec(content) ?? []
  const value = number ?? single ?? double
  if (whole === undefined || name === undefined || value === undefined) return undefined
  return { name, value, at: content.indexOf(value, content.indexOf('=')) }
}

/** Names that commands ask for, and that hold what the last line before them has set. `cells`: the lines of each, as JSON has them. */
export function settledNames(cells: readonly (readonly string[])[]): ReadonlySet<string> {
  const set = new Set<string>()
  const otherwise = new Set<string>()
  const asked = new Set<string>()
  for (const lines of cells) {
    // Of a file that the cell writes, of another language, or within a text.
    const isPlain = !otherMagic.test(lines[0] ?? '') && !lines.some(line => isText.test(line))
    let isCommand = false
    for (const line of lines) {
      isCommand = isCommand || /^\s*[!%]/.test(line)
      const setting = isPlain && !isCommand ? settingIn(line) : undefined
      if (setting !== undefined) set.add(setting.name)
      else for (const name of isCommand ? askedIn(line) : boundIn(line)) (isCommand ? asked : otherwise).add(name)
      isCommand = isCommand && line.endsWith('\\\\')
    }
  }
  return new Set([...set].filter(name => asked.has(name) && !otherwise.has(name)))
}

/** Python's names that a command has: `{BATCH}`, `$BATCH`. */
function askedIn(line: string): readonly string[] {
  return Array.from(line.matchAll(/[{$]([A-Za-z_]\w{0,60})/g), ([, name = '']) => name)
}

/** Every name that the line may bind, and some that it does not: keywords of calls. */
function boundIn(line: string): readonly string[] {
  const names = (part: string) => part.match(/[A-Za-z_]\w*/g) ?? []
  if (/\b(?:for|as|global|nonlocal|del|import)\b/.test(line)) return names(line)
  const assigned = Array.from(
    line.matchAll(/\b([A-Za-z_]\w{0,60}) {0,4}[-+*/%|&^@:<>]{0,3}=(?!=)/g),
    ([, name = '']) => name,
  )
  const first = line.indexOf('=')
  const targets = first < 0 ? '' : line.slice(0, first)
  const isSeveral = targets.includes(',') && !targets.includes('(')
  const [, annotated] = /^\s*([A-Za-z_]\w{0,60}) ?:/.exec(line) ?? []
  return [...assigned, ...(isSeveral ? names(targets) : []), ...(annotated === undefined ? [] : [annotated])]
}
