/** Resolves a document's aliases and merge keys, and counts what they would expand to before anything is expanded. */
import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { quote } from './quote.ts'

export type Aliases =
  | { readonly kind: 'resolved'; readonly targets: AliasTargets; readonly expandedNodes: number }
  /** `why`: a sentence without its full stop; `offset`: of the alias. */
  | { readonly kind: 'refused'; readonly offset: number; readonly why: string }

/** The node that an alias stands for; the document's own search for it walks the whole document. */
export type AliasTargets = ReadonlyMap<Alias, unknown>

/** Values and keys of a document with every alias written out. As many as a file without aliases can have. */
export const MAX_EXPANDED_NODES = 60_000
/** Levels with every alias written out. */
const MAX_DEPTH = 100

/** Takes time linear in what the document writes. `budget`: the nodes that it may come to. */
export function resolveAliases(document: Document, budget = MAX_EXPANDED_NODES): Aliases {
  const walk = new AliasWalk(budget)
  walk.visit(document.contents, 0)
  const { targets, expandedNodes, refusal } = walk
  return refusal ?? { kind: 'resolved', targets, expandedNodes }
}

/** Of a node with every alias in it written out. */
interface Extent {
  readonly nodes: number
  readonly depth: number
  /** Of a mapping, or of what is merged into one: the keys, its own and merged ones. */
  readonly keys: number
}

const leaf: Extent = { nodes: 1, depth: 0, keys: 0 }

/** Goes through a document in the order in which it is written, since an alias stands for the latest anchor before it. */
class AliasWalk {
  readonly targets = new Map<Alias, unknown>()
  readonly #anchored = new Map<string, unknown>()
  /** Of the anchored nodes that are behind; those around an alias are missing. */
  readonly #extents = new Map<unknown, Extent>()
  readonly #budget: number
  expandedNodes = 0
  refusal: Extract<Aliases, { kind: 'refused' }> | undefined

  constructor(budget: number) {
    this.#budget = budget
  }

  visit(node: unknown, level: number): Extent {
    if (this.refusal !== undefined) return leaf
    if (isAlias(node)) return this.#visitAlias(node, level)
    this.expandedNodes++
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined
    if (anchor !== undefined) this.#anchored.set(anchor, node)
    const extent = this.#visitInside(node, level)
    if (anchor !== undefined) this.#extents.set(node, extent)
    return extent
  }

  #visitInside(node: unknown, level: number): Extent {
    if (isMap(node)) return this.#visitMap(node, level)
    return isSeq(node) ? around(node.items.map(item => this.visit(item, level + 1))) : leaf
  }

  #visitMap(map: YAMLMap, level: number): Extent {
    const inside: Extent[] = []
    let [own, merged] = [0, 0]
    for (const { key, value } of map.items) {
      inside.push(this.visit(key, level + 1))
      const extent = this.visit(value, level + 1)
      inside.push(extent)
      if (!isMergeKey(key)) own++
      else if (isAlias(value) && isScalar(this.targets.get(value))) this.#refuse(value, 'Only mappings can be merged')
      else merged += extent.keys
    }
    // Each merged key is copied into the mapping.
    this.#count(merged, map)
    return { ...around(inside), keys: own + merged }
  }

  #visitAlias(alias: Alias, level: number): Extent {
    const target = this.#anchored.get(alias.source)
    if (target === undefined) return this.#refuse(alias, `No anchor ${quote(alias.source)} stands before its alias`)
    const extent = this.#extents.get(target)
    if (extent === undefined)
      return this.#refuse(alias, `The alias ${quote(alias.source)} stands within its own anchor`)
    this.targets.set(alias, target)
    this.#count(extent.nodes, alias)
    if (level + extent.depth > MAX_DEPTH) {
      return this.#refuse(alias, `With its aliases written out, the file is nested more than ${MAX_DEPTH} levels deep`)
    }
    return extent
  }

  /** Counts what `node` adds to what the document writes itself. */
  #count(nodes: number, node: Alias | YAMLMap): void {
    this.expandedNodes += nodes
    if (nodes === 0 || this.expandedNodes <= this.#budget) return
    const most = MAX_EXPANDED_NODES.toLocaleString('en-US')
    this.#refuse(node, `With the aliases and merges up to here written out, the file has more than ${most} values`)
  }

  #refuse({ range }: Alias | YAMLMap, why: string): Extent {
    this.refusal ??= { kind: 'refused', offset: range?.[0] ?? 0, why }
    return leaf
  }
}

/** A list of mappings is merged as all of them, so that their keys add up. */
function around(inside: readonly Extent[]): Extent {
  return inside.reduce(
    (all, { nodes, depth, keys }) => ({
      nodes: all.nodes + nodes,
      depth: Math.max(all.depth, depth + 1),
      keys: all.keys + keys,
    }),
    leaf,
  )
}

/** An unquoted `<<`, which the YAML 1.1 schema resolves to a symbol. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'symbol'
}
