/**
 * Settings of PyTorch's caching allocator: from PYTORCH_CUDA_ALLOC_CONF or its newer name, from a team's settings, or
 * from the tool.
 */

import { isBefore } from '../../training/versions.ts'
import type { Reading } from '../reading.ts'
import type { Field, Section } from '../text/section.ts'
import type { FieldReader } from './fields.ts'

const variables: ReadonlySet<string> = new Set(['PYTORCH_ALLOC_CONF', 'PYTORCH_CUDA_ALLOC_CONF'])

/** Launchers' configs have environment variables under `env:`, or one level deeper. */
const ENV_LEVELS = 3

/** PyTorch has had it since this release; tools that turn it on look for it. */
const FIRST_TORCH = '2.2'

/** `variable`: where the config itself says something; `tool`: its name, where it turns expandable segments on itself. */
export function withAllocatorSettings(
  reading: Reading,
  variable: Field | undefined,
  reader: FieldReader,
  tool: string | undefined,
): Reading {
  const told = reader.assumptions.length
  const field = reader.fieldFor('expandable_segments', variable)
  if (reading.kind !== 'training-config' || (field === undefined && tool === undefined)) return reading
  const isOn = reader.settle('expandableSegments', field, present => isOnIn(present, reader), {
    value: !isBefore(reading.spec.versions, 'torch', FIRST_TORCH),
    source: `set by ${tool}, unless PYTORCH_CUDA_ALLOC_CONF is`,
  })
  const assumptions = [...reading.assumptions, ...reader.assumptions.slice(told)]
  return { ...reading, spec: { ...reading.spec, ...(isOn && { expandableSegments: true }) }, assumptions }
}

/** The environment variable in a launcher's config. */
export function allocatorVariable(document: Section): Field | undefined {
  const fields = document.nested(ENV_LEVELS).flatMap(section => [...section.fields.values()])
  return fields.find(({ key }) => variables.has(key))
}

/** `expandable_segments:True,max_split_size_mb:128`, or a flag in a team's settings. */
function isOnIn(field: Field, reader: FieldReader): boolean | undefined {
  if (!variables.has(field.key)) return reader.flag(field)
  const said = field.value.kind === 'text' ? /expandable_segments\s*:\s*(true|false)/i.exec(field.value.text) : null
  return said?.[1]?.toLowerCase() === 'true'
}
