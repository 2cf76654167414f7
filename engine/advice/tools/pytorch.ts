/** A script's own loop over a model of transformers: what it gives to the calls that load and cut, changed where it stands. */
import type { Value } from '../../config/text/yaml-literal.ts'
import { halfLength } from '../reduced.ts'
import type { KeySetting, Tool } from './tool.ts'

const argument = (value: Value, ...keys: readonly [string, ...string[]]): readonly KeySetting[] => [
  { keys, value, elsewhere: true },
]

export const pytorch: Tool = {
  'sdpa-attention': () => argument('sdpa', 'attn_implementation'),
  'bf16-weights': () => argument('bfloat16', 'dtype', 'torch_dtype'),
  'half-length': ({ spec }) => argument(halfLength(spec), 'max_length', 'max_seq_length', 'block_size'),
}
