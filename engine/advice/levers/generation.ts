/** Levers on vLLM when it generates completions on the training GPU. */
import type { Lever } from '../lever.ts'
import { halfShare } from '../reduced.ts'

export const generationLevers: readonly Lever[] = [
  {
    id: 'vllm-sleep',
    effect: 'none',
    group: 'vllm',
    settings: ['method'],
    applies: ({ method }) =>
      method?.kind === 'online' && method.generation.kind === 'vllm' && !method.generation.sleeps,
    isMade: ({ method }) => method?.kind === 'online' && method.generation.kind === 'vllm' && method.generation.sleeps,
  },
  {
    id: 'vllm-half-share',
    effect: 'none',
    group: 'vllm',
    settings: ['method'],
    applies: spec => (halfShare(spec) ?? 0) >= 0.1,
    isMade: ({ method }, before) =>
      method?.kind === 'online' &&
      method.generation.kind === 'vllm' &&
      Math.abs(method.generation.share - (halfShare(before) ?? 0)) < 1e-9,
  },
]
