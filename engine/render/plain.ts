/** Makes untrusted text harmless for any output: invisible characters become �, and the length is limited. */
import { formatWhere, type Problem } from '../base/errors.ts'

/** Control, format (bidi, zero-width, tags), private and unpaired characters, and line and paragraph separators. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** One line without control, bidi or zero-width characters, so neither a terminal nor a reader can be led astray. */
export function plainText(text: string, maxLength = 600): string {
  // Cut first, at twice the length wanted, so that a huge string costs no more than a long one.
  const oneLine = text
    .slice(0, 2 * maxLength + 2)
    .replace(/[\r\n\t\u2028\u2029]+/g, ' ')
    .replace(invisible, '\uFFFD')
  const characters = Array.from(oneLine)
  return characters.length <= maxLength ? oneLine : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** Whether a line of a file can be shown unchanged: no invisible characters, and not too long. */
export function isPlainLine(line: string, maxLength = 500): boolean {
  return line.length <= maxLength && line.replaceAll('\t', ' ').search(invisible) < 0
}

/** Shortens a path in the middle, since the folder and the file name are both needed. */
export function plainPath(path: string, maxLength = 120): string {
  if (path.length <= maxLength) return plainText(path, maxLength)
  const head = Math.floor(maxLength / 3)
  return `${plainText(path.slice(0, head))}…${plainText(path.slice(head + 1 - maxLength))}`
}

/** What is wrong, where, and what to do, in a line. */
export function plainProblem(problem: Problem): string {
  const { file, field, message, fix } = problem
  const where = formatWhere({
    ...problem,
    ...(file === undefined ? {} : { file: plainPath(file) }),
    ...(field === undefined ? {} : { field: plainText(field, 100) }),
  })
  return `${where}${plainText(message)}. ${plainText(fix)}`
}

/** Our own sentences start with a capital; names keep theirs. */
export function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
