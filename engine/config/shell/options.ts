/** The words of a command as options and their values. */
import type { Given } from './given.ts'

export interface Argument {
  /** Without dashes, with `_` for `-`: `per_device_train_batch_size`. */
  readonly key: string
  /** As written: `--per-device-train-batch-size`. */
  readonly name: string
  /** None for a switch. */
  readonly values: readonly Given[]
  readonly at: number
  /** For the reader of a switch. */
  readonly remarks?: readonly string[]
}

/** Options with the words that follow them, and the words that are none. `k=v` is an option too, and Hydra's `+k=v`. */
export function parsed(words: readonly Given[], switches: ReadonlySet<string>) {
  const positional: Given[] = []
  const hidden: Given[] = []
  const found: { key: string; name: string; values: Given[]; at: number; remarks: readonly string[] }[] = []
  let open: { values: Given[] } | undefined
  for (const word of words) {
    const { text, from } = word
    const [, dashes = '', key, sign, value] = /^(--?|\+{1,2})?([A-Za-z_][\w.-]*)(=)?([\s\S]*)$/.exec(text) ?? []
    const isOption = key !== undefined && (dashes !== '' || sign !== undefined) && word.why === undefined
    const isOpenOption = word.why !== undefined && key !== undefined && sign !== undefined
    // Of an array, under a condition.
    const isDoubted = word.why !== undefined && dashes === '--' && key !== undefined && value === ''
    if ((isOption && (sign !== undefined || value === '')) || isOpenOption || isDoubted) {
      const name = key!.replaceAll('-', '_')
      const option = { key: name, name: `${dashes}${key}`, values: [] as Given[], at: from, remarks: word.remarks }
      found.push(option)
      if (isDoubted) option.values.push(word)
      if (sign !== undefined) {
        const written = value ?? ''
        option.values.push({
          ...word,
          text: written,
          from: word.valueFrom ?? (word.why === undefined ? from + text.length - written.length : from),
        })
      }
      open = sign === undefined && !switches.has(name) ? option : undefined
      continue
    }
    // An option's first value is one, whatever it is.
    if (word.why !== undefined && word.isArgument !== true && (open?.values.length ?? 1) > 0) hidden.push(word)
    else if (text === '--' || text === '') open = undefined
    else if (open !== undefined) open.values.push(word)
    else positional.push(word)
  }
  return { positional, arguments: found, hidden }
}
