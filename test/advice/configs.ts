/** A config of each tool that does not fit a small card, as people write it. */
import { ofHuggingFace } from './configs/hugging-face.ts'
import { ofOtherTools } from './configs/other-tools.ts'
import { ofPyTorch } from './configs/pytorch.ts'
import type { ToolConfig } from './configs/tool-config.ts'

export const toolConfigs: readonly ToolConfig[] = [...ofHuggingFace, ...ofPyTorch, ...ofOtherTools].map(
  ({ path, text, ...rest }) => ({ ...rest, file: { path, text } }),
)
