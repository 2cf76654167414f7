import { closest } from '../../../errors.ts'
import type { FieldReader } from '../../fields.ts'
import { oneOf, quote } from '../../quote.ts'
import type { Field } from '../../section.ts'
import type { Optimizer } from '../../spec.ts'

/** The Trainer's names (transformers/training_args.py, OptimizerNames) for what the estimate can model. */
const supported: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  // torch.optim.AdamW takes its foreach path on CUDA.
  ['adamw_torch', 'adamw'],
  ['adamw_torch_fused', 'adamw-fused'],
  ['adamw_apex_fused', 'adamw-fused'],
  // transformers' own AdamW, gone in version 5, loops over the parameters.
  ['adamw_hf', 'adamw-loop'],
  // The Trainer hands torch.optim.SGD no momentum.
  ['sgd', 'sgd'],
])

const unsupported = new Set([
  ...['adafactor', 'adagrad', 'rmsprop', 'rmsprop_bnb', 'rmsprop_bnb_8bit', 'rmsprop_bnb_32bit'],
  ...['adamw_8bit', 'adamw_bnb_8bit', 'adamw_torch_4bit', 'adamw_torch_8bit', 'adamw_anyprecision'],
  ...['adamw_torch_xla', 'adamw_torch_npu_fused'],
  ...['paged_adamw', 'paged_adamw_32bit', 'paged_adamw_8bit', 'ademamix', 'ademamix_8bit'],
  ...['paged_ademamix_32bit', 'paged_ademamix_8bit', 'lion', 'lion_8bit', 'lion_32bit'],
  ...['paged_lion', 'paged_lion_32bit', 'paged_lion_8bit', 'galore_adamw', 'galore_adamw_8bit'],
  ...['galore_adafactor', 'galore_adamw_layerwise', 'galore_adamw_8bit_layerwise', 'galore_adafactor_layerwise'],
  ...['lomo', 'adalomo', 'grokadamw', 'schedule_free_radam', 'schedule_free_adamw', 'schedule_free_sgd'],
  ...['apollo_adamw', 'apollo_adamw_layerwise', 'stable_adamw'],
])

/** The Trainer's default with PyTorch 2.8 and later. */
const DEFAULT: Optimizer = 'adamw-fused'

export function readOptimizer(reader: FieldReader, field: Field | undefined): Optimizer {
  if (field === undefined) {
    reader.assume("Fused AdamW, the Trainer's default from PyTorch 2.8 on: the config sets no optim.")
    return DEFAULT
  }
  const name = reader.text(field)
  if (name === undefined) return DEFAULT
  const optimizer = supported.get(name)
  if (optimizer === undefined) refuse(reader, field, name)
  return optimizer ?? DEFAULT
}

function refuse(reader: FieldReader, field: Field, name: string): void {
  const use = `Supported are ${oneOf([...supported.keys()])}.`
  if (unsupported.has(name)) {
    reader.refuse(field, 'unsupported-optimizer', `The optimizer ${quote(name)} is not supported yet`, use)
    return
  }
  const meant = closest(name, [...supported.keys(), ...unsupported])
  const fix = meant === undefined ? use : `Did you mean ${meant}? ${use}`
  reader.refuse(field, 'unknown-optimizer', `The optimizer ${quote(name)} is not known`, fix)
}
