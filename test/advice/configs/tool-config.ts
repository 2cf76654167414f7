import type { SourceFile } from '../../../engine/config/reading.ts'
import type { LeverId } from '../../../engine/report/advised-levers.ts'

export interface ToolConfig {
  readonly tool: string
  readonly gpu: string
  readonly file: SourceFile
  /** What must be among what is offered, alone or together with others. */
  readonly offers: readonly LeverId[]
  /** The model, where the file cannot name it. */
  readonly model?: string
  /** The number of GPUs, where the file cannot say it. */
  readonly gpus?: number
}

/** With its file as path and text. */
export type WrittenConfig = Omit<ToolConfig, 'file'> & { readonly path: string; readonly text: string }
