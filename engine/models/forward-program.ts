/** A model's forward pass as a program, in the code of the tool that trains it. */
import { type Builder, type Traced, trace } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { familyOf, type ModelConfig } from './architecture.ts'
import type { ProgramTerms } from './family.ts'
import { litgptModel } from './litgpt.ts'
import { torchtitanModel } from './torchtitan.ts'

/**
 * The last program, kept because passes over one model follow each other (policy and reference, or one setting after
 * the other).
 */
let latest: { readonly config: ModelConfig; readonly terms: string; readonly program: Traced<Value> } | undefined

/** The model with the task's head; the program returns its logits. */
export function programOf(config: ModelConfig, spec: ProgramTerms): Traced<Value> {
  const { task, step, labels, sequenceLength, targetLength, images, versions, modelCode, quantization } = spec
  const lengths = [sequenceLength, targetLength]
  const terms = JSON.stringify([task, step, labels, ...lengths, images, versions, modelCode, quantization])
  if (latest?.config !== config || latest.terms !== terms) {
    latest = { config, terms, program: trace(ops => forward(ops, config, spec)) }
  }
  return latest.program
}

function forward(ops: Builder, config: ModelConfig, spec: ProgramTerms): Value {
  if (spec.modelCode === 'litgpt') return litgptModel(ops, config, spec)
  if (spec.modelCode === 'torchtitan') return torchtitanModel(ops, config, spec)
  return familyOf(config).forward(ops, config, spec)
}
