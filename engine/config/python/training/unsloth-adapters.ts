/** What Unsloth's `get_peft_model` adds to peft's. Source: unsloth 2026.8 models/vision.py, models/llama.py and models/_utils.py. */
import type { Field } from '../../text/section.ts'
import type { Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import type { LibraryCall, Value } from '../values/values.ts'
import { fieldOf, saidBy } from './fields.ts'
import type { ModelChain } from './model-chain.ts'

/** The layers that get adapters where the call lists none, and the argument that leaves them out. */
const parts = [
  { switchedBy: 'finetune_attention_modules', names: ['q_proj', 'k_proj', 'v_proj', 'o_proj'] },
  { switchedBy: 'finetune_mlp_modules', names: ['gate_proj', 'up_proj', 'down_proj'] },
] as const

/** On by default. */
export const unslothSwitches: ReadonlySet<string> = new Set([
  'finetune_language_layers',
  ...parts.map(({ switchedBy }) => switchedBy),
])

interface UnslothTargets {
  readonly targets: readonly string[]
  /** Switches that are off, or are not known, and change more than the targets. */
  readonly notFollowed: readonly (readonly [parameter: string, value: Value])[]
}

/** `given`: the arguments of the call. `hasTargets`: it lists layers, of which the switches leave some out. */
export function unslothTargets(given: ReadonlyMap<string, Value>, hasTargets: boolean): UnslothTargets {
  const off = [...given].filter(
    ([parameter, value]) => unslothSwitches.has(parameter) && !(value.kind === 'flag' && value.flag),
  )
  const named = new Set(off.map(([parameter]) => parameter))
  const left = parts.filter(({ switchedBy }) => !named.has(switchedBy))
  const isFollowed =
    !hasTargets &&
    left.length > 0 &&
    off.every(([name, { kind }]) => kind === 'flag' && name !== 'finetune_language_layers')
  return {
    targets: (isFollowed ? left : parts).flatMap(({ names }) => names),
    notFollowed: isFollowed ? [] : off,
  }
}

/** models/_utils.py apply_unsloth_gradient_checkpointing: below that length of the loaded model they stay on the GPU (unsloth#3867). */
const OFFLOADED_FROM_TOKENS = 512

/** Which checkpoints `get_peft_model` asks for, or takes by default. */
export function unslothCheckpoints(
  call: LibraryCall,
  given: ReadonlyMap<string, Value>,
  { loaded }: ModelChain,
  file: Module,
  evaluator: Evaluator,
): Field {
  const asked = given.get('use_gradient_checkpointing')
  const field =
    asked === undefined
      ? saidBy(call, 'gradient_checkpointing', { kind: 'text', text: 'unsloth' }, file, 'get_peft_model')
      : fieldOf('gradient_checkpointing', asked, file)
  const length =
    loaded?.kind === 'call' && loaded.call !== undefined
      ? evaluator.argumentsOf(loaded.call, loaded.site, ['model_name', 'max_seq_length']).values.get('max_seq_length')
      : undefined
  const isOffloaded = field.value.kind === 'text' && field.value.text === 'unsloth'
  if (!isOffloaded || length?.kind !== 'number' || length.number >= OFFLOADED_FROM_TOKENS) return field
  const told = `Checkpoints stay on the GPU: Unsloth moves them to the host from ${OFFLOADED_FROM_TOKENS} tokens on, and the model is loaded for ${length.number}.`
  return { ...field, value: { kind: 'flag', flag: true }, assumptions: [...(field.assumptions ?? []), told] }
}
