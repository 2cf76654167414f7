/** Python texts as modules. The last few are kept: the commands of a launcher start one script again and again, with the same imports. */
import { moduleOf } from './collector.ts'
import type { Module, ModuleOptions } from './module.ts'
import { parsePython } from './parser.ts'

const MAX_KEPT = 16
/** Of all texts that are kept. */
const MAX_CHARACTERS = 1_000_000
/** The last used first. Nothing changes a module once it is made. */
let kept: readonly Module[] = []

export function parsedModule(path: string, text: string, options: ModuleOptions = {}): Module {
  const { notebook, readFor = path, isImported = false } = options
  const known = kept.find(
    each =>
      each.path === path &&
      each.readFor === readFor &&
      each.isImported === isImported &&
      each.notebook === notebook &&
      each.text === text,
  )
  const module = known ?? moduleOf(path, text, parsePython(text), options)
  keep(module)
  return module
}

function keep(module: Module): void {
  let left = MAX_CHARACTERS
  const all = [module, ...kept.filter(each => each !== module)].slice(0, MAX_KEPT)
  kept = all.filter(({ text }) => {
    left -= text.length
    return left >= 0
  })
}
