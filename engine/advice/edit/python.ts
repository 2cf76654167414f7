/** Sets a keyword argument of the call that takes the batch size, or would take it, in a script or a notebook. */
import { pythonLiteral } from '../../config/text/literals.ts'
import type { WrittenKey } from '../tools/tool.ts'
import { type Edited, spliced } from './text.ts'

/** What may stand behind a keyword for its value to be changed: a literal, or one name with dots. */
const literal =
  /(?:True|False|None|\d[\d_]*(?:\.\d+)?(?:e-?\d+)?|'[^'\n\\]{0,200}'|"[^"\n\\]{0,200}"|\\"[^"\n\\]{0,200}\\"|[A-Za-z_][\w.]{0,100})(?=\s{0,20}(?:[,)#]|\\n|\r?\n|$))/y

export function setInPython({ path, text, anchor }: Edited, setting: WrittenKey): string | undefined {
  if (setting.at !== undefined) return undefined
  const written = setting.keys.flatMap(key => keywordsIn(text, key))
  const [only, ...others] = written
  // Several calls may take it, and which one is meant is not told by the text alone.
  if (others.length > 0) return undefined
  if (only !== undefined) {
    literal.lastIndex = only
    return literal.exec(text) === null
      ? undefined
      : spliced(text, only, literal.lastIndex, pythonLiteral(setting.value))
  }
  if (setting.elsewhere) return undefined
  const isNotebook = /\.ipynb$/i.test(path)
  if (setting.call !== undefined) return addedFirst(text, setting, isNotebook, callOf(setting.call))
  return anchor === undefined ? addedFirst(text, setting, isNotebook) : added(text, anchor, setting, isNotebook)
}

/** Offsets of what stands behind `key=`. */
function keywordsIn(text: string, key: string): readonly number[] {
  const pattern = new RegExp(`(?<![\\w.'"-])${key}[ \\t]{0,20}=(?!=)[ \\t]{0,20}`, 'g')
  return Array.from(text.matchAll(pattern), ({ 0: match, index }) => index + match.length)
}

/** transformers' TrainingArguments and their kind, and the configs of TRL's trainers. */
const argumentsOfTrainers =
  /(?<![\w.])(?:[A-Z]\w{0,60})?(?:TrainingArguments|(?:SFT|DPO|KTO|ORPO|CPO|BCO|GKD|GRPO|RLOO|Reward|OnlineDPO)Config)\(/g

/** By its name alone, or in the module that has it. */
function callOf(name: string): RegExp {
  return new RegExp(`(?<![\\w.])(?:[A-Za-z_]\\w{0,60}\\.){0,3}${name}\\(`, 'g')
}

/** The first argument of the only such call, where no positional one would come behind it. */
function addedFirst(
  text: string,
  setting: WrittenKey,
  isNotebook: boolean,
  calls: RegExp = argumentsOfTrainers,
): string | undefined {
  const [only, ...others] = text.matchAll(calls)
  if (only === undefined || others.length > 0) return undefined
  const start = only.index + only[0].length
  const next = /^(\r?\n[ \t]{0,100})?(?:\)|\*\*|[A-Za-z_]\w{0,100}[ \t]{0,20}=(?!=))/.exec(
    text.slice(start, start + 300),
  )
  if (next === null) return undefined
  const [, newLine = ''] = next
  const keyword = `${setting.keys[0]}=${pythonLiteral(setting.value)}`
  if (newLine !== '' && !isNotebook) return spliced(text, start, start, `${newLine}${keyword},`)
  return spliced(text, start, start, next[0].endsWith(')') ? keyword : `${keyword}, `)
}

const keywordBefore = /(?<![\w.])([A-Za-z_]\w{0,100})[ \t]{0,20}=[ \t]{0,20}$/

function added(text: string, anchor: number, setting: WrittenKey, isNotebook: boolean): string | undefined {
  const found = keywordBefore.exec(text.slice(Math.max(0, anchor - 200), anchor))
  if (found === null) return undefined
  const start = anchor - found[0].length
  const keyword = `${setting.keys[0]}=${pythonLiteral(setting.value)},`
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const indent = text.slice(lineStart, start)
  if (isNotebook || !/^[ \t]*$/.test(indent)) return spliced(text, start, start, `${keyword} `)
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  return spliced(text, lineStart, lineStart, `${indent}${keyword}${end}`)
}
