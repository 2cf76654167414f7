/** The form's fields by name, without the code that validates them, for the page's script. */

export const fieldNames = [
  'source',
  'model',
  'config',
  'fileName',
  'gpu',
  'engine',
  'step',
  'precision',
  'optimizer',
  'sequenceLength',
  'microBatch',
  'gradientAccumulation',
  'gradientCheckpointing',
  'loraRank',
  'quantization',
  'gpus',
  'stepSize',
] as const
export type FieldName = (typeof fieldNames)[number]

/** As the page shows them. */
export const fieldLabels: Readonly<Record<FieldName, string>> = {
  source: 'What to analyse',
  model: 'Model',
  config: 'Training config',
  fileName: 'File name',
  gpu: 'GPU',
  engine: 'Engine',
  step: 'Step',
  precision: 'Precision',
  optimizer: 'Optimizer',
  sequenceLength: 'Sequence length (tokens; of sound, samples)',
  microBatch: 'Current micro-batch',
  gradientAccumulation: 'Gradient accumulation',
  gradientCheckpointing: 'Gradient checkpointing',
  loraRank: 'LoRA rank',
  quantization: 'Base weights',
  gpus: 'Number of GPUs',
  stepSize: 'Batch size step',
}

/** The form's values as the reader sent them, valid or not. */
export type FormValues = Readonly<Partial<Record<FieldName, string>>>

/** `body`: values from a form or an address; unknown fields are ignored. */
export function formValues(body: Readonly<Record<string, unknown>>): FormValues {
  const texts = fieldNames.flatMap(name => {
    const value = body[name]
    return typeof value === 'string' && value.trim() !== '' ? [[name, value] as const] : []
  })
  return Object.fromEntries(texts)
}
