/** Combines several changes to one file, such as those of two trainings in one script. */
import type { ChangedText } from '../../engine/index.ts'

/** One text for each file. Lines are replaced one for one, so each change's line numbers still hold. */
export function changedFiles(changes: readonly ChangedText[]): readonly ChangedText[] {
  return [...Map.groupBy(changes, ({ path }) => path).values()].map(ofFile => ofFile.reduce(together))
}

/** If both change a line, the first change is kept; the next `fix` proposes the other. */
function together(first: ChangedText, second: ChangedText): ChangedText {
  const [before, changed] = [linesOf(first.before), linesOf(second.after)]
  const lines = linesOf(first.after).map((line, index) => (line === before[index] ? (changed[index] ?? line) : line))
  return { ...first, after: lines.join('\n') }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n')
}
