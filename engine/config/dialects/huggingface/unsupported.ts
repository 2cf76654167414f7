/** Arguments that change what stands in memory in ways that no estimate of ours covers: refused rather than ignored. */
import type { FieldReader } from '../../fields.ts'
import type { Field } from '../../section.ts'
import type { Find } from './task.ts'

const unsupported: readonly {
  readonly keys: readonly string[]
  readonly what: string
  readonly off: readonly string[]
}[] = [
  { keys: ['load_in_4bit', 'load_in_8bit'], what: 'Quantized weights are', off: [] },
  { keys: ['use_peft', 'use_lora', 'use_qlora'], what: 'Adapters are', off: [] },
  { keys: ['finetuning_type', 'adapter'], what: 'Adapters are', off: ['full', 'none'] },
  { keys: ['adafactor'], what: 'Adafactor is', off: [] },
  { keys: ['deepspeed'], what: 'DeepSpeed is', off: [''] },
  { keys: ['fsdp'], what: 'FSDP is', off: [''] },
]

export function refuseUnsupported(reader: FieldReader, find: Find): void {
  for (const { keys, what, off } of unsupported) {
    for (const field of keys.map(key => find(key))) {
      if (field === undefined || isOff(field, off)) continue
      reader.refuse(
        field,
        'unsupported-setting',
        `${what} not supported yet`,
        'Leave this config out of the check for now.',
      )
    }
  }
}

function isOff({ value }: Field, off: readonly string[]): boolean {
  switch (value.kind) {
    case 'flag':
      return !value.flag
    case 'text':
      return off.includes(value.text.toLowerCase())
    case 'empty':
      return true
    case 'number':
    case 'list':
    case 'mapping':
      return false
  }
}
