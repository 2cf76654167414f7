/** Settings of activation checkpointing that transformers' tools have in common. */
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'

/**
 * `gradient_checkpointing_kwargs: {use_reentrant: …}`, which a command line gives as JSON (transformers' training_args.py takes it so);
 * undefined where the version of transformers decides.
 */
export function readReentrant(reader: FieldReader, kwargs: Field | undefined): boolean | undefined {
  if (kwargs === undefined) return undefined
  if (kwargs.value.kind === 'text') {
    const [, inJson] = switchInJson.exec(kwargs.value.text) ?? []
    return inJson === undefined ? undefined : reader.note('reentrantCheckpoints', inJson === 'true', kwargs)
  }
  const field = kwargs.value.kind === 'mapping' ? kwargs.value.section.at('use_reentrant') : undefined
  const flag = field && reader.flag(field)
  return field === undefined || flag === undefined ? undefined : reader.note('reentrantCheckpoints', flag, field)
}

const switchInJson = /"use_reentrant"\s*:\s*(true|false)/

/**
 * FSDP's own switch, where it is on. accelerate (accelerator.py prepare_model, utils/fsdp_utils.py fsdp2_apply_ac) then checkpoints
 * the layers that it wraps, not reentrantly. transformers' training_args.py takes the key with and without its prefix.
 */
export function fsdpCheckpoints(reader: FieldReader, fsdpConfig: Field | undefined): Field | undefined {
  const section = fsdpConfig?.value.kind === 'mapping' ? fsdpConfig.value.section : undefined
  const fields = ['activation_checkpointing', 'fsdp_activation_checkpointing'].map(key => section?.at(key))
  return fields.find(field => field !== undefined && reader.flag(field) === true)
}
