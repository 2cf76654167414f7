/** What LLaMA-Factory computes again in the backward pass: model/model_utils/checkpointing.py, hparams/model_args.py. */
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Section } from '../../text/section.ts'
import { isOn } from '../../trainer/method.ts'
import type { Sharded } from '../../trainer/sharding.ts'

type Checkpointing = Pick<TrainingSpec, 'gradientCheckpointing' | 'reentrantCheckpoints' | 'offloadsCheckpoints'>

/** On unless disabled, and reentrant but for FSDP2. `use_unsloth_gc` moves what is saved to the host. */
export function readCheckpointing(reader: FieldReader, document: Section, { fsdpVersion }: Sharded): Checkpointing {
  const source = "LLaMA-Factory's default"
  const [disabled, reentrant, offloading] = [
    document.at('disable_gradient_checkpointing'),
    document.at('use_reentrant_gc'),
    document.at('use_unsloth_gc'),
  ]
  const isDisabled = isOn(reader, disabled)
  const gradientCheckpointing = reader.note('gradientCheckpointing', !isDisabled, disabled ?? source)
  if (isDisabled) return { gradientCheckpointing }
  const isReentrant = fsdpVersion !== 2 && (reentrant === undefined || reader.flag(reentrant) !== false)
  return {
    gradientCheckpointing,
    reentrantCheckpoints: reader.note('reentrantCheckpoints', isReentrant, reentrant ?? source),
    ...(isOn(reader, offloading) && { offloadsCheckpoints: reader.note('offloadsCheckpoints', true, offloading) }),
  }
}
