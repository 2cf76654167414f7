/** The arguments of a trainer: of a call, of a dataclass of the script's own, or of none. */

import type { DeclaredTrainer } from '../../dialects/huggingface/declared.ts'
import { soundsLikeMemory } from '../../fields/memory-names.ts'
import { argumentsClass } from '../library.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { type Instance, type LibraryCall, placeIn, shownAt, type Value } from '../values/values.ts'
import { unusedFields } from './trl-model-config.ts'

/** What a trainer is told to do. */
export interface Told {
  readonly kind: 'told'
  readonly of: 'transformers' | 'trl'
  readonly values: ReadonlyMap<string, Value>
  /** The command line may set any of them. */
  readonly isParsed: boolean
  /** What is unpacked into them. */
  readonly unknown: string | undefined
}

/** `none`, with a clause that says why, where the file does not tell them. Without any, each trainer makes its own class's. */
export function toldArguments(
  value: Value | undefined,
  trainer: DeclaredTrainer,
  unknown: string | undefined,
  evaluator: Evaluator,
): Told | { readonly kind: 'none'; readonly why: string } {
  if (value === undefined || value.kind === 'none') {
    if (unknown !== undefined) return { kind: 'none', why: `the trainer's arguments are in ${unknown}` }
    const of = trainer === 'trainer' ? 'transformers' : 'trl'
    return { kind: 'told', of, values: new Map(), isParsed: false, unknown: undefined }
  }
  const set = value.kind === 'call' || value.kind === 'instance' ? value.set?.unknown : undefined
  if (set !== undefined) return { kind: 'none', why: `which of the trainer's arguments are set depends on ${set}` }
  if (value.kind === 'call') {
    const of = argumentsClass(value.name)
    if (of === undefined) return { kind: 'none', why: `the trainer's arguments are ${shownAt(value.module, value)}` }
    const given = value.call && evaluator.argumentsOfMade(value, ['output_dir'])
    return {
      kind: 'told',
      of,
      values: given?.values ?? new Map([...settingsPassed(value, evaluator), ...(value.set?.all() ?? [])]),
      isParsed: value.call === undefined,
      unknown: given?.unknown,
    }
  }
  if (value.kind === 'instance') {
    const base = evaluator.classes.libraryBase(value.scope)
    const of = base === undefined ? undefined : argumentsClass(base)
    if (of !== undefined) {
      const given = value.call && evaluator.argumentsOf(value.call, value.site, ['output_dir'])
      const remark = (name: string, field: Value) =>
        `${name} is the default of ${value.scope.name}.${name} (${placeIn(field.module, field.from)}), which the command line may override.`
      const fields = [...evaluator.classes.fieldsOf(value.scope)].map(
        ([name, field]) =>
          [name, value.isParsed ? { ...field, remarks: [...field.remarks, remark(name, field)] } : field] as const,
      )
      return {
        kind: 'told',
        of,
        values: new Map([
          ...fields,
          ...(given?.values ?? (value.isParsed ? settingsPassed(value, evaluator) : [])),
          ...(value.set?.all() ?? []),
        ]),
        isParsed: value.isParsed,
        unknown: given?.unknown,
      }
    }
  }
  return {
    kind: 'none',
    why: value.kind === 'open' ? value.why : `the trainer's arguments are ${shownAt(value.module, value)}`,
  }
}

/** What a field of a class of the script's own does to memory is what its code does with it; a length is one everywhere. */
function settingsPassed(of: LibraryCall | Instance, evaluator: Evaluator): ReadonlyMap<string, Value> {
  const { passed } = evaluator
  const isFollowed = (name: string) => passed.isOwnField(name) && soundsLikeMemory(name) && !/len/.test(name)
  const isUnused = unusedFields(of, evaluator)
  return new Map([...passed.all()].filter(([name]) => !isFollowed(name) && !isUnused(name)))
}
