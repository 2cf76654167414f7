/** Finds files of a repository that call another file's functions, since the arguments of a training may be there. */
import { posix } from 'node:path'
import { MAX_CONFIG_BYTES } from '../../base/limits.ts'
import { oncePerList } from '../folder-list.ts'
import type { SourceFile } from '../reading.ts'
import type { Sources } from '../sources.ts'

/** Texts that are looked through for an import. */
const MAX_READ = 40
const MAX_CALLERS = 6
/** Callers of callers. */
const MAX_LEVELS = 2

const folders = ['.', 'src', 'scripts', 'train', 'training', 'cli', 'bin']

/** Nearest first. */
export async function findCallers({ path }: SourceFile, sources: Sources): Promise<readonly SourceFile[]> {
  const { readFile, listFolder } = sources
  if (readFile === undefined || listFolder === undefined) return []
  const paths = await scriptsAround(path, listFolder)
  const texts = await Promise.all(paths.map(each => readFile(each)))
  const scripts = paths.flatMap((each, index): SourceFile[] => {
    const text = texts[index]
    return text === undefined || text.length > MAX_CONFIG_BYTES ? [] : [{ path: each, text }]
  })
  const found: SourceFile[] = []
  let called = [path]
  for (let level = 0; level < MAX_LEVELS; level++) {
    const news = scripts.filter(script => !found.includes(script) && called.some(each => importsIt(script, each)))
    found.push(...news)
    called = news.map(each => each.path)
  }
  return found.slice(0, MAX_CALLERS)
}

async function scriptsAround(path: string, listFolder: NonNullable<Sources['listFolder']>): Promise<readonly string[]> {
  const own = posix.dirname(path)
  const above = posix.normalize(posix.join(own, '..'))
  const around = [above, own].flatMap(folder => folders.map(name => posix.join(folder, name)))
  const near = [own, above, posix.normalize(posix.join(above, '..')), ...folders, ...around]
  const within = [...new Set(near.filter(each => !/^(?:\.\.|\/)/.test(each)))]
  const found = await Promise.all(within.map(async folder => scriptsIn(await listFolder(folder), folder)))
  return [...new Set(found.flat())].filter(each => each !== path).slice(0, MAX_READ)
}

const scriptsIn = oncePerList(paths => paths.filter(path => isScript(posix.basename(path))))

/** Tests call with values of their own. */
function isScript(name: string): boolean {
  return /\.py$/.test(name) && !/^(?:test_|conftest|setup)|_test\.py$|^__init__\.py$/.test(name)
}

/** By the last part of a module's name, in a line that imports. */
function importsIt({ text }: SourceFile, path: string): boolean {
  const own = posix.basename(path, '.py')
  const name = own === '__init__' ? posix.basename(posix.dirname(path)) : own
  return text.split('\n').some(
    line =>
      /^\s*(?:from|import)\s/.test(line) &&
      line
        .slice(0, 400)
        .split(/[^\w]+/)
        .includes(name),
  )
}
