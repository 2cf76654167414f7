/** Parses a model's config.json as transformers writes it. */
import { parseJson } from '../base/json.ts'
import { MAX_CONFIG_BYTES } from '../base/limits.ts'
import type { ModelConfig } from './architecture.ts'
import { familyNamed } from './model-types.ts'

export type ConfigJson =
  /** `fields`: as they stand in the file, under the names that transformers' configuration classes give them. */
  | { readonly kind: 'config'; readonly config: ModelConfig; readonly fields: Readonly<Record<string, unknown>> }
  /** `architecture`: its `model_type`. */
  | { readonly kind: 'unsupported'; readonly architecture: string }
  /** It does not say its `model_type`, or is not JSON. */
  | { readonly kind: 'not-a-model' }
  /**
   * A supported architecture, but a field that memory depends on is missing or invalid. `why`: the field and what is
   * wrong.
   */
  | { readonly kind: 'invalid'; readonly why: string }

/** What git-lfs leaves in place of a file that was not fetched: docs/spec.md of git-lfs. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/'

const MAX_ARCHITECTURE_CHARACTERS = 80

export function readConfigJson(text: string): ConfigJson {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    return { kind: 'invalid', why: `it is larger than ${MAX_CONFIG_BYTES / 1_000} kB` }
  }
  if (text.startsWith(LFS_POINTER)) return { kind: 'invalid', why: 'it is a pointer of Git LFS in place of the file' }
  const fields = parseObject(text)
  const architecture = fields?.model_type
  if (fields === undefined || typeof architecture !== 'string') return { kind: 'not-a-model' }
  const family = familyNamed(architecture)
  if (family === undefined) {
    return { kind: 'unsupported', architecture: architecture.slice(0, MAX_ARCHITECTURE_CHARACTERS) }
  }
  const usual = withTextConfig(withRotaryShare(withUsualNames(fields, family.ownNames)))
  const result = family.config.safeParse(usual)
  if (result.success) return { kind: 'config', config: result.data, fields: usual }
  const [issue] = result.error.issues
  return { kind: 'invalid', why: `${issue?.path.join('.')}: ${issue?.message}` }
}

function withUsualNames(
  fields: Record<string, unknown>,
  ownNames: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const found = Object.entries(ownNames).flatMap(([usual, own]) =>
    own in fields ? [[usual, fields[own]] as const] : [],
  )
  return { ...Object.fromEntries(found), ...fields }
}

/** From transformers 5 on, the rotated share of a head stands in `rope_parameters`, for GPT-NeoX too. */
function withRotaryShare(fields: Record<string, unknown>): Record<string, unknown> {
  const rope = fields.rope_parameters
  if (!isObject(rope) || rope.partial_rotary_factor === undefined) return fields
  const share = rope.partial_rotary_factor
  return { partial_rotary_factor: share, rotary_pct: share, ...fields }
}

/** Qwen 2 VL and 2.5 VL wrote the decoder's fields beside `vision_config` before they had a `text_config`. */
function withTextConfig(fields: Record<string, unknown>): Record<string, unknown> {
  return 'vision_config' in fields && !('text_config' in fields) ? { ...fields, text_config: fields } : fields
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
