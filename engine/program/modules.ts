/** The modules of a program, by their paths, as far as they have weights of their own. */
import { Body, LAYER_NUMBER, LayerStack, type Operation, type Program } from './program.ts'

export interface Modules {
  /** In the order in which they first run. */
  readonly paths: readonly string[]
  /** Other paths of the same weights, by the path of the module that has them. */
  readonly shared: ReadonlyMap<string, readonly string[]>
}

export function modulesOf({ operations }: Program): Modules {
  const paths = new Set<string>()
  const shared = new Map<string, string[]>()
  const visit = (within: readonly Operation[], layer: string) => {
    for (const { op, args } of within) {
      const [named] = args.filter(arg => typeof arg === 'string')
      const path = named?.replace(LAYER_NUMBER, layer)
      const tied = args.map(tiedTo).find(name => name !== undefined)
      if (path !== undefined && tied !== undefined) shared.set(tied, [...(shared.get(tied) ?? []), path])
      else if (path !== undefined) paths.add(path)
      // `ops.prependTokens(names, x)`
      if (op === 'prependTokens') for (const name of args.flat()) if (typeof name === 'string') paths.add(name)
      for (const arg of args) {
        if (arg instanceof Body) visit(arg.region.operations, layer)
        if (arg instanceof LayerStack)
          for (const [index, kind] of arg.kinds.entries()) visit(arg.regions.get(kind)?.operations ?? [], String(index))
      }
    }
  }
  visit(operations, '')
  return { paths: [...paths], shared }
}

/** `{ tiedTo: 'transformer.wte.weight' }` */
function tiedTo(arg: unknown): string | undefined {
  if (typeof arg !== 'object' || arg === null || !('tiedTo' in arg)) return undefined
  return typeof arg.tiedTo === 'string' ? arg.tiedTo.replace(/\.weight$/, '') : undefined
}
