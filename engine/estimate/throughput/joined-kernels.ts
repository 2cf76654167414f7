/**
 * What torch.compile joins: Inductor makes one kernel of operations that only move bytes, between one matrix product or attention and
 * the next. What only they read is not written, and the backward pass computes it again.
 */
import type { Node } from '../tape/autograd.ts'
import type { Storage, Tensor } from '../tape/storage.ts'

/** Operations of one kernel, and what it reads and writes. */
export interface Joined {
  readonly nodes: readonly Node[]
  readonly storages: readonly Storage[]
  /** Tensors whose gradients it reads or writes. */
  readonly gradients: readonly Tensor[]
}

type Step = Node | Joined

/** Both passes in their order. `moves`: whether an operation only moves bytes; `isRun`: whether its forward pass is a kernel. */
export function joined(
  nodes: readonly Node[],
  moves: (node: Node) => boolean,
  isRun: (node: Node) => boolean,
): { readonly forward: readonly Step[]; readonly backward: readonly Step[] } {
  const ordered = besideReaders(nodes, moves)
  const readers = readersOf(ordered)
  const inner = new Set<Storage>()
  const forward = rowsOf(ordered.filter(isRun), moves).map(row => {
    if (!Array.isArray(row)) return row
    const [members, made] = [new Set(row), new Set(row.flatMap(({ creates }) => creates))]
    const storages = new Set(row.flatMap(({ reads }) => reads.filter(storage => !made.has(storage))))
    for (const storage of made) {
      const by = readers.get(storage) ?? []
      if (by.length > 0 && by.every(node => members.has(node))) inner.add(storage)
      else storages.add(storage)
    }
    return { nodes: row, storages: [...storages], gradients: [] }
  })
  const makers = new Map(ordered.flatMap(node => node.creates.map(storage => [storage, node] as const)))
  /** What the backward pass reads in place of what was not written. */
  const sources = new Map<Storage, readonly Storage[]>()
  for (const storage of makers.keys()) {
    if (!inner.has(storage)) continue
    sources.set(storage, [...new Set(makers.get(storage)?.reads.flatMap(read => sources.get(read) ?? [read]))])
  }
  const backward = rowsOf(ordered.toReversed(), moves).map(row => (Array.isArray(row) ? backwardOf(row, sources) : row))
  return { forward, backward }
}

function backwardOf(row: readonly Node[], sources: ReadonlyMap<Storage, readonly Storage[]>): Joined {
  const storages = new Set<Storage>()
  const [read, written] = [new Map<number, Tensor>(), new Map<number, Tensor>()]
  /** Edges whose gradient is that of another one, as of the parts of a sum. */
  const passedBy = new Map<number, number>()
  for (const { outputs, saves, gradients } of row) {
    for (const output of outputs) {
      const edge = passedBy.get(output.edge) ?? output.edge
      for (const { to, passes } of gradients) if (passes) passedBy.set(to.edge, edge)
      if (gradients.every(({ passes }) => passes)) continue
      if (!written.has(edge)) read.set(edge, output)
      else if (edge === output.edge) written.delete(edge)
    }
    if (gradients.every(({ passes }) => passes)) continue
    for (const storage of saves) for (const source of sources.get(storage) ?? [storage]) storages.add(source)
    for (const { to, passes } of gradients) if (!passes) written.set(to.edge, to)
  }
  return { nodes: row, storages: [...storages], gradients: [...read.values(), ...written.values()] }
}

/** What only goes to operations that move bytes waits for the first of them. */
function besideReaders(nodes: readonly Node[], moves: (node: Node) => boolean): readonly Node[] {
  const readers = readersOf(nodes)
  const waiting = new Map<Node, Node[]>()
  const ordered: Node[] = []
  const place = (node: Node): void => {
    for (const before of waiting.get(node) ?? []) place(before)
    ordered.push(node)
  }
  for (const node of nodes) {
    const by = moves(node) && node.creates.length > 0 ? node.creates.flatMap(storage => readers.get(storage) ?? []) : []
    const [first] = by
    const waits = first !== undefined && by.every(moves) && first.turn === node.turn
    if (!waits) place(node)
    else waiting.set(first, [...(waiting.get(first) ?? []), node])
  }
  return ordered
}

function readersOf(nodes: readonly Node[]): ReadonlyMap<Storage, readonly Node[]> {
  const readers = new Map<Storage, Node[]>()
  for (const node of nodes) {
    for (const storage of node.reads) {
      const known = readers.get(storage)
      if (known === undefined) readers.set(storage, [node])
      else known.push(node)
    }
  }
  return readers
}

/** A row goes no further than one of several turns that are alike. */
function rowsOf(nodes: readonly Node[], moves: (node: Node) => boolean): (Node | Node[])[] {
  const rows: (Node | Node[])[] = []
  for (const node of nodes) {
    const last = rows.at(-1)
    if (!moves(node)) rows.push(node)
    else if (Array.isArray(last) && last[0]?.turn === node.turn) last.push(node)
    else rows.push([node])
  }
  return rows
}
