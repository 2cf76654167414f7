/**
 * What a stack tells of an allocation: which part of a training it belongs to, and where in whose code it was made. Stacks begin at the
 * innermost frame (torch 2.13 cuda/_memory_viz.py turns them round for flame graphs).
 */
import { type Frame, Frames, type OriginPart } from './frames.ts'
import type { Pickled } from './unpickle.ts'

export interface Origin {
  /** `unknown`: there is no stack. */
  readonly part: OriginPart | 'unknown'
  /** `modeling_llama.py:210 forward`: the innermost frame outside of PyTorch; undefined without frames. */
  readonly at?: string
  /** `train.py:41 main`: the innermost frame outside of installed packages, where that is another one. */
  readonly from?: string
}

/** The most that are looked at of one stack; Python's own limit of recursion is a thousand. */
const MAX_FRAMES = 2_000
const MAX_NAME = 120

export class Origins {
  readonly all: Origin[] = []
  readonly #frames = new Frames()
  /** By the list of frames, which events may share, then by category. */
  readonly #known = new Map<Pickled | undefined, Map<Pickled | undefined, number>>()
  hasStacks = false

  of(frames: Pickled | undefined, category: Pickled | undefined): Origin {
    return this.all[this.indexOf(frames, category)]!
  }

  indexOf(frames: Pickled | undefined, category: Pickled | undefined): number {
    const byCategory = this.#known.get(frames) ?? new Map<Pickled | undefined, number>()
    this.#known.set(frames, byCategory)
    const known = byCategory.get(category)
    if (known !== undefined) return known
    const origin = originOf(this.#stack(frames), typeof category === 'string' ? category : undefined)
    if (origin.at !== undefined) this.hasStacks = true
    const index = this.all.push(origin) - 1
    byCategory.set(category, index)
    return index
  }

  #stack(frames: Pickled | undefined): readonly Frame[] {
    const stack: Frame[] = []
    if (!Array.isArray(frames)) return stack
    for (let at = 0; at < Math.min(frames.length, MAX_FRAMES); at++) {
      const frame = this.#frames.of(frames[at]!)
      if (frame !== undefined) stack.push(frame)
    }
    return stack
  }
}

/** Categories of our own snapshots, and of torch.profiler's (torch 2.13 profiler/_memory_profiler.py, Category). */
const parts: ReadonlyMap<string, OriginPart> = new Map([
  ['weights', 'weights'],
  ['parameter', 'weights'],
  ['optimizerState', 'optimizer-state'],
  ['optimizer_state', 'optimizer-state'],
  ['inputs', 'inputs'],
  ['input', 'inputs'],
  ['workspace', 'workspace'],
  ['activations', 'forward'],
  ['activation', 'forward'],
  ['autograd_detail', 'forward'],
  ['logits', 'forward'],
  ['gradients', 'backward'],
  ['gradient', 'backward'],
  ['temporaries', 'backward'],
  ['temporary', 'backward'],
])

function originOf(stack: readonly Frame[], category: string | undefined): Origin {
  const part = (category === undefined ? undefined : parts.get(category)) ?? partOf(stack)
  const [first] = stack
  if (first === undefined) return { part }
  const outside = stack.find(frame => frame.isPython && !frame.isOfTorch) ?? stack.find(frame => frame.isPython)
  if (outside === undefined) return { part, at: (nodeOf(stack) ?? first.name).slice(0, MAX_NAME) }
  const own = stack.find(frame => frame.isPython && frame.isOwn)
  return { part, at: outside.place, ...(own !== undefined && own !== outside && { from: own.place }) }
}

/** `MmBackward0`, of a stack in C++ alone. */
function nodeOf(stack: readonly Frame[]): string | undefined {
  for (const { name } of stack) {
    const node = /\b(\w*(?:Backward\d{0,9}|AccumulateGrad))::apply/.exec(name)
    if (node !== null) return node[1]
  }
  return undefined
}

/** An optimizer's hook runs inside of the backward pass. */
const staysInBackward: ReadonlySet<OriginPart> = new Set(['optimizer', 'optimizer-state', 'workspace'])

/** The innermost frame that says what it is of decides: Lightning runs the forward pass inside of the optimizer's step. */
function partOf(stack: readonly Frame[]): OriginPart | 'unknown' {
  if (stack.length === 0) return 'unknown'
  const part = stack.find(frame => frame.part !== undefined)?.part ?? 'elsewhere'
  // So does a checkpoint's recomputation.
  const isOfBackward =
    stack.some(frame => frame.isOfBackward) || stack.findLast(frame => frame.isPython)?.startsBackward
  return isOfBackward && !staysInBackward.has(part) ? 'backward' : part
}
