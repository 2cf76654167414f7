/** The settings of DeepSpeed and FSDP that ms-swift brings along by name: swift/config/*.json of its repository. */

import type { FieldReader } from '../../fields/fields.ts'
import type { DeepSpeedFile } from '../../other-files/deepspeed-file.ts'
import type { Section } from '../../text/section.ts'
import { readDeepSpeed, type Sharded } from '../../trainer/sharding.ts'

const small = { reduceBucket: 2e8, overlapsCommunication: false } as const
const whole = { maxLiveParameters: 1e9, maxReuseDistance: 1e9, subGroup: 1e9, overlapsCommunication: false } as const

const presets: ReadonlyMap<string, Sharded> = new Map<string, Sharded>([
  ['zero0', {}],
  ['zero1', { sharding: 'zero1', zero: small }],
  ['zero2', { sharding: 'zero2', zero: small }],
  ['zero2_offload', { sharding: 'zero2', zero: small, offload: 'optimizer' }],
  ['zero3', { sharding: 'zero3', zero: whole }],
  ['zero3_offload', { sharding: 'zero3', zero: whole, offload: 'optimizer-and-weights' }],
])

export function readSharding(reader: FieldReader, document: Section, file: DeepSpeedFile): Sharded {
  const [deepspeed, fsdp] = [document.at('deepspeed'), document.at('fsdp')]
  const preset = deepspeed?.value.kind === 'text' ? presets.get(deepspeed.value.text) : undefined
  if (deepspeed !== undefined && preset !== undefined) {
    if (preset.sharding !== undefined) reader.note('sharding', preset.sharding, deepspeed)
    if (preset.offload !== undefined) reader.note('offload', preset.offload, deepspeed)
    return preset
  }
  if (deepspeed !== undefined || fsdp === undefined) return readDeepSpeed(reader, deepspeed, file)
  if (fsdp.value.kind === 'text' && fsdp.value.text === 'fsdp2')
    return { sharding: reader.note('sharding', 'fsdp', fsdp), fsdpVersion: reader.note('fsdpVersion', 2, fsdp) }
  const fix = 'Use --fsdp fsdp2, or --deepspeed with zero1, zero2 or zero3.'
  reader.refuse(fsdp, 'unsupported-setting', 'Only the FSDP settings that ms-swift brings along are read', fix)
  return {}
}
