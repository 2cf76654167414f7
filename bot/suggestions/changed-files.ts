/** Changes to one file, such as those of two trainings that one script starts, made in one text. */
import type { ChangedText } from '../../engine/index.ts'

/** One for each file. Lines are replaced one for one, so that each change's lines are where it left them. */
export function changedFiles(changes: readonly ChangedText[]): readonly ChangedText[] {
  return [...Map.groupBy(changes, ({ path }) => path).values()].map(ofFile => ofFile.reduce(together))
}

/** Of a line that both change, the first stays: the next run of the command proposes the other. */
function together(first: ChangedText, second: ChangedText): ChangedText {
  const [before, changed] = [linesOf(first.before), linesOf(second.after)]
  const lines = linesOf(first.after).map((line, index) => (line === before[index] ? (changed[index] ?? line) : line))
  return { ...first, after: lines.join('\n') }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n')
}
