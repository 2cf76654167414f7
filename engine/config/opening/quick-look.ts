/** Whether a file is worth a parse. */
import { dialects } from '../dialects.ts'
import { isNotebookPath, isPythonPath, mayTrain } from '../python/quick-look.ts'
import type { SourceFile } from '../reading.ts'
import { isLauncherPath, mayLaunch } from '../shell/quick-look.ts'

/** False for a text that is certainly none: it holds no key that a format needs. Takes linear time, and parses nothing. */
export function mayBeTrainingConfig({ path, text }: SourceFile): boolean {
  if (isLauncherPath(path)) return mayLaunch(text)
  if (isNotebookPath(path)) return mayTrain(text) || mayLaunch(text)
  return isPythonPath(path) ? mayTrain(text) : dialects.some(dialect => dialect.mayBe(text))
}
