/** Which files of a repository are worth reading, by their paths alone. */
import { isLauncherName } from './shell/quick-look.ts'

const candidateExtension = /\.(ya?ml|json|toml|py|ipynb)$/i
const foreignFolders = new Set([
  'node_modules',
  '.git',
  '.venv',
  'venv',
  '__pycache__',
  'site-packages',
  '.ipynb_checkpoints',
])
/** Other tools' files that are known by name; all others are judged by their content. */
const foreignFile =
  /^(package|composer|tsconfig.*|jsconfig.*|biome|deno|renovate|tokenizer|tokenizer_config|vocab|trainer_state|.*[-.]lock|npm-shrinkwrap|\.eslintrc|\.prettierrc|\.pre-commit-config)\.(ya?ml|json)$|^(pyproject|cargo)\.toml$/i

/** Tests train tiny models, and packages are set up: neither is how a team trains. */
const foreignScript = /^(?:test_.*|.*_test|conftest|setup|__init__)\.py$/i
const testFolder = /^(?:tests?|testing)$/i

/** Whether a `/`-separated path is worth reading when training configs are looked for. */
export function isCandidatePath(path: string): boolean {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const isForeign =
    foreignFile.test(name) ||
    foreignScript.test(name) ||
    ((/\.py$/i.test(name) || isLauncherName(name)) && folders.some(folder => testFolder.test(folder)))
  return (
    (candidateExtension.test(name) || isLauncherName(name)) &&
    !isForeign &&
    !folders.some(folder => foreignFolders.has(folder))
  )
}
