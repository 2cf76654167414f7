/** A script's own loop: the batch size of its DataLoader, and Accelerate's launcher (accelerate 1.15 accelerator.py, `Accelerator`). */
import { strategyNames } from '../strategy.ts'
import { accelerateFiles, accelerateLaunch } from './accelerate.ts'
import { linesIn, settings } from './lines.ts'
import type { Snippeted, Written } from './snippet.ts'

export function loopSnippet(row: Snippeted): Written {
  const { microBatch, gradientAccumulation, strategy, gpus, config } = row
  const lines = settings({
    batch_size: microBatch,
    gradient_accumulation_steps: gradientAccumulation === 1 ? undefined : gradientAccumulation,
  })
  const own = { path: config, text: linesIn(config, lines) }
  const places = 'batch_size is the DataLoader’s; gradient_accumulation_steps is Accelerator’s, or counted in the loop.'
  if (gpus === 1) return { files: [own], command: `python ${config}`, notes: [places] }
  if (strategy !== 'ddp')
    return {
      why: `${strategyNames[strategy]} in a loop of its own is code, which wraps the model: no setting says it.`,
    }
  return {
    files: [own, ...accelerateFiles(row)],
    command: accelerateLaunch(row, config),
    notes: [
      places,
      'Several GPUs share the training only if the script has model, optimizer and data prepared by an Accelerator.',
    ],
  }
}
