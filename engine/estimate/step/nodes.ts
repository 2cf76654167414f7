/** What a step asks of the nodes that a tape recorded. */
import type { Node } from '../tape/autograd.ts'
import type { Storage } from '../tape/storage.ts'
import { Numbers } from './numbers.ts'

/**
 * torch: utils/checkpoint.py _StopRecomputationError: a recomputation ends where the last tensor has been saved again. What the
 * rest would have read is still there at that point.
 */
export function untilLastSave(saving: readonly Node[], rest: readonly Node[]): readonly Node[] {
  const last = saving.at(-1)
  if (last === undefined) return saving
  const savesInputsOnly = last.saves.every(storage => last.reads.includes(storage))
  const end = savesInputsOnly ? { ...last, creates: [], scratch: [] } : last
  const stop = { ...end, creates: [], scratch: [], saves: [], reads: rest.flatMap(node => node.reads) }
  return [...saving.slice(0, -1), end, stop]
}

/** What they keep as attributes; `isOfBodies`: those of checkpointed blocks too. */
export function keptBy(nodes: readonly Node[], isOfBodies: boolean): readonly Storage[] {
  return nodes.flatMap(({ keeps, body }) => (isOfBodies && body !== undefined ? keptBy(body, true) : keeps))
}

/** How often each parameter is used where a gradient reaches it, by storage id. */
export function usesOf(nodes: readonly Node[], uses = new Numbers()): Numbers {
  for (const node of nodes) {
    if (node.body !== undefined) usesOf(node.body, uses)
    countUses(node, uses)
  }
  return uses
}

/** Apart from the loop over nodes: V8 leaves the machine code of an inner loop, of few turns here, at its end. */
function countUses({ gradients }: Node, uses: Numbers): void {
  for (const { to } of gradients) if (to.storage.persistent) uses.add(to.storage.id, 1)
}
