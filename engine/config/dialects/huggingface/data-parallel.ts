/**
 * The GPUs that a training sees where no launcher starts a process for each. The Trainer uses all of them by nn.DataParallel, unless the
 * model's layers are divided among them (transformers 5.18 trainer.py _wrap_model and __init__, training_args.py n_gpu).
 */
import { type FieldReader, placeSaid } from '../../fields/fields.ts'
import type { Declared } from './declared.ts'

/** Before the number of GPUs is read. `isWritten`: the config says it itself. */
export function readVisibleGpus(reader: FieldReader, declared: Declared | undefined, isWritten: boolean): void {
  const visible = declared?.visible ?? reader.visible
  if (visible?.value.kind !== 'number' || reader.launched.gpus !== undefined) return
  const { number } = visible.value
  const launched = { ...reader.launched, gpus: visible }
  if (number === 0) reader.launched = launched
  if (number < 2 || isWritten || reader.supplies('gpus') || declared?.ownLoop !== undefined) return
  reader.leavesDivisionOpen = true
  const seen = `One process sees ${number} GPUs (${visible.name}, ${placeSaid({ file: reader.path, ...visible })})`
  if (declared?.dividesLayers) {
    reader.assumeMore(
      `${seen}, and device_map divides the layers among them: all are counted on one, so that nothing blocks.`,
    )
    return
  }
  reader.launched = launched
  reader.assume(
    `${seen}, on which the Trainer runs nn.DataParallel unless a launcher starts a process for each: the first gathers what the others compute, which is not counted, so that nothing blocks.`,
  )
}
