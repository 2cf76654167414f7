/** How a shell script computes whole numbers by a command: `$(expr 16 / $GPUS)`, `` `expr 8 \* 2` ``, `$(echo "16 / $GPUS" | bc)`. */

const calls = [/^(?:\$\(|`)\s*expr\s([^|;&<>`]+)(?:\)|`)$/, /^(?:\$\(|`)\s*echo\s([^|;&<>`]+)\|\s*bc\s*(?:\)|`)$/]
const escapedOperator = /\\([*()])|["']([*()])["']/g
/** Numbers and variables with operators between them. Both commands divide whole numbers as `$((…))` does. */
const sum =
  /^[\s()]*(?:\d{1,15}|"?\$(?:\w+|\{\w+\})"?)(?:[\s()]*[-+*/%][\s()]*(?:\d{1,15}|"?\$(?:\w+|\{\w+\})"?))*[\s()]*$/

const MAX_CHARACTERS = 200

/** The same as `$((…))` has it within its parentheses; undefined for any other command. */
export function asArithmetic(substitution: string): string | undefined {
  if (substitution.length > MAX_CHARACTERS) return undefined
  for (const call of calls) {
    const written = call.exec(substitution)?.[1]?.trim()
    const plain = unquoted(written)?.replace(escapedOperator, (_, escaped, quoted) => escaped ?? quoted)
    if (plain !== undefined && sum.test(plain)) return plain.replaceAll('"', '').trim()
  }
  return undefined
}

function unquoted(text: string | undefined): string | undefined {
  return text !== undefined && text.length > 1 && /^["']/.test(text) && text.at(-1) === text[0]
    ? text.slice(1, -1)
    : text
}
