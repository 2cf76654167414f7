/** Parses a command from a comment, which is untrusted text: anything that is not a command is ignored. */
import { closest } from '../../engine/index.ts'
import { type Command, type CommandName, commandNames, MAX_REASON_CHARACTERS, MAX_SNOOZE_DAYS } from './command.ts'
import { visibleLines } from './visible-lines.ts'

export type Parsed =
  | { readonly kind: 'none' }
  | { readonly kind: 'command'; readonly command: Command; readonly others: number }
  /** A known command with invalid arguments. `problem`: a sentence in our words. */
  | { readonly kind: 'malformed'; readonly name: CommandName; readonly problem: string }
  | { readonly kind: 'unknown'; readonly word: string; readonly meant?: CommandName }

/** GitHub's limit for a comment. */
const MAX_CHARACTERS = 65_536

const called = /^\/memorymark(?=[ \t]|$)[ \t]*(\S*)([\s\S]*)$/i

/** The first line with a command counts; `others` is the number of further ones. */
export function parseComment(body: string): Parsed {
  const calls = visibleLines(body.slice(0, MAX_CHARACTERS)).flatMap(line => {
    const match = called.exec(line)
    return match === null ? [] : [{ word: match[1] ?? '', rest: (match[2] ?? '').trim() }]
  })
  const [first, ...others] = calls
  if (first === undefined) return { kind: 'none' }
  const name = first.word === '' ? 'help' : commandNames.find(known => known === first.word.toLowerCase())
  if (name === undefined) return unknown(first.word)
  const parsed = parseArguments(name, first.rest)
  return parsed.kind === 'command' ? { ...parsed, others: others.length } : parsed
}

function unknown(word: string): Parsed {
  const meant = closest(word, commandNames)
  return { kind: 'unknown', word, ...(meant !== undefined && { meant }) }
}

type ParsedArguments =
  | { readonly kind: 'command'; readonly command: Command }
  | Extract<Parsed, { readonly kind: 'malformed' }>

function parseArguments(name: CommandName, rest: string): ParsedArguments {
  switch (name) {
    case 'help':
    case 'rerun':
    case 'explain':
      return { kind: 'command', command: { kind: name } }
    case 'fix':
      return parseFix(rest)
    case 'ok':
      return parseOk(rest)
    case 'accept':
      return parseAccept(rest)
    case 'snooze':
      return parseSnooze(rest)
  }
}

/** Further words are ignored. */
function parseFix(rest: string): ParsedArguments {
  const number = /^#?(\d{1,3})$/.exec(rest)?.[1]
  if (number === undefined) return { kind: 'command', command: { kind: 'fix' } }
  if (Number(number) > 0) return { kind: 'command', command: { kind: 'fix', lever: Number(number) } }
  return malformed('fix', 'The ways to free memory are numbered from 1')
}

function parseOk(rest: string): ParsedArguments {
  const sha = rest.toLowerCase()
  // An abbreviated SHA is accepted here; the command answers with the full one.
  if (/^[0-9a-f]{4,64}$/.test(sha)) return { kind: 'command', command: { kind: 'ok', sha } }
  return malformed('ok', 'It needs the whole SHA of the newest commit, 40 hexadecimal characters')
}

function parseAccept(rest: string): ParsedArguments {
  const outOfMemory = /^out-of-memory(?:\s|$)/i.test(rest)
  const reason = outOfMemory ? rest.slice('out-of-memory'.length).trim() : rest
  // A reason needs letters or digits of some script.
  if (!/[\p{L}\p{N}]/u.test(reason)) return malformed('accept', 'It needs a reason, which the check will show')
  if (Array.from(reason).length > MAX_REASON_CHARACTERS) {
    return malformed('accept', `The reason may be up to ${MAX_REASON_CHARACTERS} characters long`)
  }
  return { kind: 'command', command: { kind: 'accept', reason, outOfMemory } }
}

function parseSnooze(rest: string): ParsedArguments {
  const [, written] = /^(\d{1,3})(?:\s*(?:d|days?))?$/i.exec(rest) ?? []
  const days = Number(written)
  if (written !== undefined && days >= 1 && days <= MAX_SNOOZE_DAYS) {
    return { kind: 'command', command: { kind: 'snooze', days } }
  }
  return malformed('snooze', `It needs a number of days from 1 to ${MAX_SNOOZE_DAYS}`)
}

function malformed(name: CommandName, problem: string): Extract<Parsed, { readonly kind: 'malformed' }> {
  return { kind: 'malformed', name, problem }
}
