/** Sets an option of the command that takes the batch size, in a launcher's script. */
import { shellWord } from '../../config/text/literals.ts'
import type { WrittenKey } from '../tools/tool.ts'
import { type Edited, spliced } from './text.ts'

const plainWord = /(?:[\w./:-]{1,200}|'[^'\n]{0,200}'|"[^"\n$`\\]{0,200}")(?=\s|$)/y

export function setInShell({ text, anchor }: Edited, setting: WrittenKey): string | undefined {
  const { value } = setting
  if (typeof value === 'object') return undefined
  const names = setting.keys.map(key => [...(setting.at ?? []), key].join('.'))
  const written = names.flatMap(name => optionsIn(text, name))
  const [only, ...others] = written
  if (others.length > 0) return undefined
  const word = shellWord(value)
  if (only !== undefined) {
    plainWord.lastIndex = only.end
    // `--bf16` alone, before the next option or at the end of the command, is a switch.
    const isValue = only.isJoined || !/^(?:-|\\|\r?\n|$)/.test(text.slice(only.end, only.end + 2))
    if (!isValue) return value === true ? text : spliced(text, only.end, only.end, `${word} `)
    return plainWord.exec(text) === null ? undefined : spliced(text, only.end, plainWord.lastIndex, word)
  }
  const before = anchor === undefined ? null : optionBefore.exec(text.slice(Math.max(0, anchor - 150), anchor))
  if (anchor === undefined || before === null) return undefined
  const start = anchor - before[0].length
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const indent = text.slice(lineStart, start)
  const named = setting.isSwitch ? `--${names[0]}` : `--${names[0]} ${word}`
  const option = before[0].startsWith('--') ? named : `${names[0]}=${word}`
  const isContinued = /^[ \t]+$/.test(indent) && /\\\r?\n$/.test(text.slice(0, lineStart))
  return isContinued
    ? spliced(text, lineStart, lineStart, `${indent}${option} \\${text.includes('\r\n') ? '\r\n' : '\n'}`)
    : spliced(text, start, start, `${option} `)
}

/** `--key value` or, as Hydra's overrides, `section.key=value`. */
const optionBefore = /(?:--[\w.-]{1,100}(?:=|[ \t]{1,20})|(?<=\s)\w{1,50}\.[\w.]{1,100}=)$/

interface Option {
  /** Where its value begins, or what follows it. */
  readonly end: number
  readonly isJoined: boolean
}

/** A name with a section may be a Hydra override; without one, `key=value` sets a variable of the shell. */
function optionsIn(text: string, name: string): readonly Option[] {
  const word = name.replaceAll('.', '\\.').replaceAll('_', '[_-]')
  const override = name.includes('.') ? `|\\+{0,2}${word}=` : ''
  const pattern = new RegExp(`(?<=\\s)(?:--${word}(?:=|[ \\t]{1,20}|(?=\\s|$))${override})`, 'g')
  return Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({
    end: index + match.length,
    isJoined: match.endsWith('='),
  }))
}
