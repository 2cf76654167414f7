/** How Axolotl runs, adapts and quantises a mixture's experts. */
import type { CatalogueModel } from '../../../models/catalogue.ts'
import { lastNameOf } from '../../../models/linears.ts'
import { type ExpertStyle, isFsdp } from '../../../training/choices.ts'
import type { TrainingSpec } from '../../../training/spec.ts'
import type { FieldReader } from '../../fields/fields.ts'
import type { Field, Section } from '../../text/section.ts'
import { readTargets } from '../../trainer/adapter.ts'
import { isOn } from '../../trainer/method.ts'

/** peft's target_parameters: the experts' matrices that have adapters. */
export function readExpertTargets(reader: FieldReader, document: Section): readonly string[] | undefined {
  const field = document.at('lora_target_parameters')
  const names = field && readTargets(reader, field)
  if (names === undefined || typeof names === 'string') return undefined
  return names.map(lastNameOf).filter(name => /_proj$/.test(name))
}

/**
 * monkeypatch/models/llama4/modeling.py, and integrations/kernels, which does without Llama 4. Experts without adapters are counted
 * as transformers runs them, whatever the kernels.
 */
export function readExpertStyle(
  reader: FieldReader,
  document: Section,
  model: CatalogueModel | undefined,
  hasExpertAdapters: boolean,
): ExpertStyle | undefined {
  const linear = document.at('llama4_linearized_experts')
  if (model?.family === 'llama4' && isOn(reader, linear)) return reader.note('expertStyle', 'axolotl-linear', linear)
  const kernels = ['use_scattermoe', 'use_sonicmoe'].map(key => document.at(key)).find(field => isOn(reader, field))
  if (kernels === undefined || !hasExpertAdapters) return undefined
  reader.assume(
    "Experts in Axolotl's kernels are counted row by row, and in full where they are dequantised: the estimate errs on the high side.",
  )
  return reader.note('expertStyle', 'axolotl-kernels', kernels)
}

/**
 * monkeypatch/moe_quant.py: experts are quantised as they are loaded, and dequantised while their block runs. FSDP does not divide
 * them all, by docs/expert_quantization.qmd: on two GPUs GLM 4.7 Flash takes more of each than of one alone.
 */
export function readQuantizedExperts(
  reader: FieldReader,
  field: Field | undefined,
  { sharding }: Pick<TrainingSpec, 'sharding'>,
): true | undefined {
  if (!isOn(reader, field)) return undefined
  if (!isFsdp(sharding)) return reader.note('quantizedExperts', true, field)
  const message =
    'What FSDP divides of quantised experts is not modelled: a GPU may need more of them than it would alone'
  return reader.refuse(
    field,
    'unsupported-setting',
    message,
    'Run it on one GPU, or exclude this config: add it to ignore in .github/memorymark.yml.',
  )
}
