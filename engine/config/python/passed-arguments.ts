/** The arguments that a launcher passes to a script, as the values that they come to there. */
import type { PassedArgument } from '../reading.ts'
import { Module } from './module.ts'
import type { Value } from './values.ts'

/** By the name of the option, as a parser of the script keeps it. */
export type PassedValues = ReadonlyMap<string, Value>

/** Of one given twice, parsers take the last. */
export function passedValues(passed: readonly PassedArgument[] = []): PassedValues {
  const modules = new Map<string, Module>()
  return new Map(
    passed.map(({ name, text, launcher, from }) => {
      const module = modules.get(launcher.path) ?? new Module(launcher.path, launcher.text)
      modules.set(launcher.path, module)
      const located = { module, from, to: from + (text ?? name).length, remarks: [] }
      return [name, { ...located, ...meant(text) }]
    }),
  )
}

type Meant =
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'flag'; readonly flag: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly why: string }

function meant(text: string | undefined): Meant {
  if (text === undefined || /^(?:true|yes)$/i.test(text)) return { kind: 'flag', flag: true }
  if (/^(?:false|no)$/i.test(text)) return { kind: 'flag', flag: false }
  if (/^-?\d{1,15}(?:\.\d+)?(?:e-?\d{1,3})?$/i.test(text)) return { kind: 'number', number: Number(text) }
  if (/[$`]/.test(text)) return { kind: 'open', why: 'the launcher fills it in when it runs' }
  return { kind: 'text', text }
}
