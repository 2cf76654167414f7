/** A word that a command is given, several of them as one, and what a variable holds of them. */

const MAX_WORD_CHARACTERS = 10_000
const MAX_REMARKS = 20

/** One word that a command is given. */
export interface Given {
  readonly text: string
  /** Where its literal stands in the file, which is where its variable was set if it comes from one. */
  readonly from: number
  /** Of `--name=value`, where the value is written apart: where its variable was set. */
  readonly valueFrom?: number
  /** What only running would tell: a clause that names it, with the line. */
  readonly why?: string
  /** Whether that is an argument of the script. */
  readonly isArgument?: true
  /** Whether it is a variable that the file sets nowhere before. */
  readonly isNowhereSet?: true
  /** Whether only an argument sets it: the script started without one leaves it unset. */
  readonly isUnsetAlone?: true
  /** Whether it counts the turns of a loop over an array. */
  readonly isIndex?: true
  /** Sentences for the reader of the value. */
  readonly remarks: readonly string[]
}

export function isNumber({ text }: Given): boolean {
  return /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(text)
}

/** A variable: one word, or an array's several. */
export interface Held {
  readonly isArray: boolean
  readonly words: readonly Given[]
  /** What it is cut into where it stands without quotes, if each word's own offset is known. */
  readonly split?: readonly Given[] | undefined
}

/** The first of them, each once: a variable that is put together from itself would double them. */
export function remarksOf(words: readonly Pick<Given, 'remarks'>[]): readonly string[] {
  return [...new Set(words.flatMap(({ remarks }) => remarks))].slice(0, MAX_REMARKS)
}

export function joinedWords(words: readonly Given[], from = words[0]?.from ?? 0): Given {
  const [only] = words
  if (words.length === 1 && only !== undefined) return only
  const open = words.find(({ why }) => why !== undefined)
  return {
    text: words
      .map(({ text }) => text)
      .join('')
      .slice(0, MAX_WORD_CHARACTERS),
    from: words.find(({ text }) => text !== '')?.from ?? from,
    remarks: remarksOf(words),
    ...(words.length === 2 && /^[\w.-]+=$/.test(words[0]?.text ?? '') && ofValue(words[1]!)),
    ...(open?.why !== undefined && { why: open.why }),
  }
}

/** Of `--name=$VALUE`. */
function ofValue({ from, isArgument, isNowhereSet }: Given): Partial<Given> {
  return { valueFrom: from, ...(isArgument && { isArgument }), ...(isNowhereSet && { isNowhereSet }) }
}

/** With the first `most` of the places where it says `from` replaced; undefined where it would get too long. */
export function withReplaced(text: string, from: string, to: string, most: number): string | undefined {
  const parts = text.split(from)
  const count = Math.min(parts.length - 1, most)
  if (text.length + count * (to.length - from.length) > MAX_WORD_CHARACTERS) return undefined
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from)
}
