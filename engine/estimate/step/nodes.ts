/** What a step asks of the nodes that a tape recorded. */
import type { Node } from '../tape/autograd.ts'
import type { Storage, Tensor } from '../tape/storage.ts'
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

/** How often each parameter is used where a gradient of the loss reaches it, by storage id. */
export function usesOf(nodes: readonly Node[], loss: Tensor): Numbers {
  const uses = new Numbers()
  const reached = new Numbers()
  reached.set(loss.edge, 1)
  countUses(nodes, reached, uses)
  return uses
}

/** `reached`: by edge. */
function countUses(nodes: readonly Node[], reached: Numbers, uses: Numbers): void {
  for (let index = nodes.length - 1; index >= 0; index--) {
    const { body, outputs, gradients } = nodes[index]!
    if (body !== undefined) countUses(body, reached, uses)
    else if (outputs.some(({ edge }) => reached.at(edge) > 0)) reachAll(gradients, reached, uses)
  }
}

/** Apart from the loop over nodes: V8 leaves the machine code of an inner loop, of few turns here, at its end. */
function reachAll(gradients: Node['gradients'], reached: Numbers, uses: Numbers): void {
  for (const { to } of gradients) {
    if (to.storage.persistent) uses.add(to.storage.id, 1)
    else reached.set(to.edge, 1)
  }
}
