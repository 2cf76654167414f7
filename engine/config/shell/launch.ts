/** A command that starts a training. */
import type { Given } from './given.ts'
import type { Argument } from './options.ts'

/** What a launcher says about processes. */
export type Processes =
  | {
      readonly kind: 'count'
      readonly count: number
      readonly by: string
      readonly from: number
      /** Sentences for its reader. */
      readonly remarks?: readonly string[]
    }
  /** One process, which sees several GPUs. */
  | { readonly kind: 'visible'; readonly count: number; readonly by: string; readonly from: number }
  | { readonly kind: 'open'; readonly why: string }
  | { readonly kind: 'unsaid' }

export interface Launch {
  /** `torchrun`, `llamafactory-cli train`, as the file writes it. */
  readonly launcher: string
  readonly at: number
  readonly target:
    | { readonly kind: 'script'; readonly path: string }
    /** Of a tool that takes its own config. */
    | { readonly kind: 'tool'; readonly tool: Tool }
    | { readonly kind: 'refused'; readonly tool: string }
  /** A script of the repository's own that is taken for the tool's, by its options. */
  readonly copy?: string
  /** Words that are no option: paths of configs. */
  readonly positional: readonly Given[]
  readonly arguments: readonly Argument[]
  /** Words that may be further arguments, which only a run can tell. */
  readonly hidden?: readonly Given[]
  readonly processes: Processes
  /** That the file changes to before. */
  readonly folder?: string | undefined
  readonly accelerateConfig?: Given
  /** Accelerate's own options, which win over its config. */
  readonly accelerateOptions?: readonly Argument[]
}

export type Tool =
  | 'axolotl'
  | 'litgpt'
  | 'llamafactory'
  | 'ms-swift'
  | 'openrlhf'
  | 'torchtitan'
  | 'torchtune'
  | 'ultralytics'
  | 'verl'
