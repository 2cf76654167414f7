/** 8-bit floats as accelerate and torchao switch them on. */
import type { FieldReader } from '../fields/fields.ts'
import type { Field } from '../text/section.ts'
import { isOn } from './method.ts'

/** torchao's convert_to_float8_training: the weights, and what is saved for the backward pass, keep their type. */
export function readFloat8(reader: FieldReader, field: Field | undefined): true | undefined {
  return isOn(reader, field) ? reader.note('float8', true, field) : undefined
}
