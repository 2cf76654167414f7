/** A training that was found in code, up to the point where its model must be known. */

import { argumentsOf } from '../dialects/huggingface/arguments.ts'
import { refuseFrozen } from '../dialects/huggingface/frozen-by-hand.ts'
import { huggingface, readArguments } from '../dialects/huggingface.ts'
import type { FieldReader } from '../fields/fields.ts'
import { leavesGpusOpen } from '../fields/gpus.ts'
import { unreadMemorySettings, unreadSettings, withNamed } from '../fields/memory-settings.ts'
import type { ModelLookup } from '../fields/model-fields.ts'
import type { AskedCard } from '../job/request.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { Reading, ReadTraining } from '../reading.ts'
import type { Field, Section } from '../text/section.ts'
import { type Call, callExpression, type Module } from './syntax/module.ts'
import { severalByOwnUsage } from './training/own-usage.ts'
import type { Training } from './training/transformers.ts'
import { placeIn } from './values/values.ts'

/** A script that starts a training, up to the point where its model must be known. */
export interface OpenScript {
  readonly kind: 'open'
  readonly dialect: string
  /** By which call it was recognised. */
  readonly why: string
  readonly model: Field | undefined
  readonly deepSpeed: Field | undefined
  readonly training: ReadTraining
  /** The field that sets the batch size. */
  readonly batchSize: Field | undefined
  /** That the function around it asks for. */
  readonly card?: AskedCard
  /** What the launcher passes and no parser found in the script takes, by name. */
  readonly undeclared?: readonly string[]
  read(reader: FieldReader, lookUp: ModelLookup, deepSpeed: DeepSpeedFile): Reading
}

export function ofTrainer(
  { document, declared, call, assumptions, notUnderstood, unread }: Training,
  module: Module,
  training: ReadTraining,
  unsureRemarks: ReadonlySet<string>,
): OpenScript {
  return {
    kind: 'open',
    dialect: declared.ownLoop?.dialect ?? huggingface.name,
    why: declared.ownLoop
      ? `${calledName(call)}() on ${placeIn(module, call.at)}, beside a DataLoader and a known model`
      : `${declared.trainerField.name}() on ${placeIn(module, call.at)}`,
    model: argumentsOf(document).model,
    deepSpeed: document.at('deepspeed'),
    batchSize: argumentsOf(document).batchSize,
    training,
    read: (reader, lookUp, deepSpeed) => {
      for (const field of notUnderstood) refuseUnread(reader, field)
      for (const sentence of assumptions) reader.assume(sentence)
      const own = document.afresh()
      const reading = withUnsure(readArguments(own, reader, lookUp, deepSpeed, declared), unsureRemarks)
      return withUnreadSettings(withOwnUsage(reading, reader, module), own, unread)
    },
  }
}

/** A training with settings that the repository does not determine never blocks. */
function withUnsure(reading: Reading, remarks: ReadonlySet<string>): Reading {
  if (reading.kind !== 'training-config' || !reading.assumptions.some(sentence => remarks.has(sentence))) return reading
  return { ...reading, assumesCode: true }
}

/** What the text of the script says of how it is started is an example: it settles nothing, but where nothing else says it, it counts. */
function withOwnUsage(reading: Reading, reader: FieldReader, module: Module): Reading {
  if (reading.kind !== 'training-config' || !leavesGpusOpen(reader)) return reading
  const sentence = severalByOwnUsage(module)
  if (sentence === undefined) return reading
  return { ...reading, assumptions: [...reading.assumptions, sentence], assumesCode: true }
}

export function calledName(call: Call): string {
  const callee = callExpression(call)?.callee
  return callee?.kind === 'attribute' || callee?.kind === 'name' ? callee.name : 'training'
}

/** Named by their file too, where they are in another one. */
function withUnreadSettings(reading: Reading, document: Section, beside: readonly Field[]): Reading {
  if (reading.kind !== 'training-config') return reading
  const unread = [...beside, ...unreadMemorySettings(document, reading.spec)]
  return withNamed(reading, unreadSettings(unread))
}

function refuseUnread(reader: FieldReader, field: Field): void {
  if (field.key === 'requires_grad') {
    refuseFrozen(reader, field)
    return
  }
  const message = `${field.name === 'quantization' ? field.source : field.name} changes what training holds in memory, and is not understood in scripts yet`
  reader.refuse(
    field,
    'unsupported-setting',
    message,
    'Exclude this file for now: add it to ignore in .github/memorymark.yml.',
  )
}
