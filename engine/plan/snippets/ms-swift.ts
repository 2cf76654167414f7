/** ms-swift 4: its arguments (swift/arguments/*.py), as many processes as NPROC_PER_NODE says (swift/cli/main.py). */
import { deepSpeedFile } from './deepspeed.ts'
import { torchrunVariables } from './launch.ts'
import { formOf, linesIn, settings } from './lines.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function msSwiftSnippet(row: Snippeted): Snippet {
  const { microBatch, gradientAccumulation, gradientCheckpointing, strategy, gpus, spec, config } = row
  const deepSpeed = deepSpeedFile(strategy)
  const lines = settings({
    per_device_train_batch_size: microBatch,
    gradient_accumulation_steps: gradientAccumulation,
    gradient_checkpointing: gradientCheckpointing,
    deepspeed: deepSpeed?.path,
    // swift/config/fsdp2.json
    fsdp: strategy === 'fsdp' ? 'fsdp2' : undefined,
  })
  const command = spec.method === undefined ? 'sft' : 'rlhf'
  const given = formOf(config) === 'shell' ? '<its options>' : config
  return {
    files: [{ path: config, text: linesIn(config, lines) }, ...(deepSpeed === undefined ? [] : [deepSpeed])],
    command: `${torchrunVariables(gpus)}swift ${command} ${given}`,
  }
}
