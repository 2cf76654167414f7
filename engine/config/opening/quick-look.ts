/** Whether a file is worth a parse. */
import { nemoRl } from '../dialects/nemo-rl.ts'
import { dialects } from '../dialects.ts'
import { isNotebookPath, isPythonPath, mayTrain } from '../python/quick-look.ts'
import type { SourceFile } from '../reading.ts'
import { isLauncherPath, mayLaunch } from '../shell/quick-look.ts'

export function isTomlPath(path: string): boolean {
  return /\.toml$/i.test(path)
}

/** torchtitan 0.2's train_configs: a flavor of a model, and a batch size, which was called batch_size before. */
export function isTorchtitan(text: string): boolean {
  return /^[ \t]*flavor[ \t]*=/m.test(text) && /^[ \t]*(?:local_)?batch_size[ \t]*=/m.test(text)
}

/** NeMo RL's, which name the configs that they take values from. */
export function mayInherit(text: string): boolean {
  return /^defaults[ \t]*:/m.test(text) && nemoRl.mayBe(text)
}

/** False for a text that is certainly none: it holds no key that a format needs. Takes linear time, and parses nothing. */
export function mayBeTrainingConfig({ path, text }: SourceFile): boolean {
  if (isLauncherPath(path)) return mayLaunch(text)
  if (isTomlPath(path)) return isTorchtitan(text)
  if (isNotebookPath(path)) return mayTrain(text) || mayLaunch(text)
  return isPythonPath(path) ? mayTrain(text) : dialects.some(dialect => dialect.mayBe(text))
}
