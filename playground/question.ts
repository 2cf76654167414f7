/** What the reader asks: the form's fields, and the terms on which a run is paid. It stands in the link to the page. */
import { type FormValues, formValues } from '../server/dashboard/form-fields.ts'

export interface Question {
  readonly values: FormValues
  /** Price per hour, hours per run, runs per year, where the reader gave them. */
  readonly terms: Readonly<Partial<Record<TermName, string>>>
}

/** The names of the fields of the cards' form. */
export const termNames = ['price', 'hours', 'runs'] as const
type TermName = (typeof termNames)[number]

/** What the page opens with: a config of which something can be said. */
export const example: Question = {
  values: {
    source: 'config',
    gpu: 'a100-80gb',
    config: `# LoRA with Hugging Face's TRL: sft.py --config this.yaml
model_name_or_path: Qwen/Qwen2.5-1.5B
per_device_train_batch_size: 1
gradient_accumulation_steps: 16
max_length: 1024
bf16: true
use_peft: true
lora_r: 16
lora_target_modules: all-linear
`,
  },
  terms: {},
}

/** `told`: anything. Fields that are not known, and what is no text, are left out. */
export function questionOf(told: unknown): Question {
  const { values, terms } = isRecord(told) ? told : {}
  const known = isRecord(terms) ? terms : {}
  const texts = termNames.flatMap(name => {
    const value = known[name]
    return typeof value === 'string' && value.length <= 40 ? [[name, value] as const] : []
  })
  return { values: formValues(isRecord(values) ? values : {}), terms: Object.fromEntries(texts) }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
