/** Turns form fields, which are strings and may be empty, into a request. */
import * as z from 'zod'
import type { Problem } from '../../engine/base/errors.ts'
import { parseJson } from '../../engine/base/json.ts'
import { gpus } from '../../engine/gpus/catalogue.ts'
import { optimizers, precisions, quantizations, stepProfiles } from '../../engine/training/choices.ts'
import { type AnalysisRequest, type AnalysisRequestInput, analysisRequest, MAX_CONFIG_CHARACTERS } from '../analysis.ts'
import { type FieldName, type FormValues, fieldLabels, fieldNames } from './form-fields.ts'

/** A hidden field with a whole request, to send it again. */
export const AGAIN_FIELD = 'request'

export type FormReading =
  | { readonly kind: 'request'; readonly request: AnalysisRequest }
  | { readonly kind: 'refused'; readonly problems: readonly FieldProblem[] }

export interface FieldProblem extends Problem {
  readonly input: FieldName
}

const count = z
  .string()
  .regex(/^\d{1,12}$/, 'is not a whole number')
  .transform(Number)

const sent = z.object({
  source: z.enum(['model', 'config']).default('model'),
  model: z.string().max(200).optional(),
  config: z.string().max(MAX_CONFIG_CHARACTERS, `is longer than ${MAX_CONFIG_CHARACTERS} characters`).optional(),
  fileName: z.string().max(200).optional(),
  gpu: z.enum(gpus.map(({ id }) => id)).optional(),
  engine: z.enum(['auto', 'estimate']).default('auto'),
  step: z.enum(stepProfiles).optional(),
  precision: z.enum(precisions).optional(),
  optimizer: z.enum(optimizers).optional(),
  sequenceLength: count.optional(),
  microBatch: count.optional(),
  gradientAccumulation: count.optional(),
  gradientCheckpointing: z.enum(['on', 'off']).optional(),
  loraRank: count.optional(),
  quantization: z.enum(quantizations).optional(),
  gpus: count.optional(),
  stepSize: count.optional(),
})

/** The request in `AGAIN_FIELD`; undefined if it is invalid. */
export function readAgain(text: string): AnalysisRequest | undefined {
  return analysisRequest.safeParse(parseJson(text)).data
}

export function readForm(values: FormValues): FormReading {
  const fields = sent.safeParse(values)
  if (!fields.success) return refused(fields.error, ([name]) => name)
  const missing = missingSubject(fields.data)
  if (missing !== undefined) return { kind: 'refused', problems: [missing] }
  const request = analysisRequest.safeParse(requestOf(fields.data))
  return request.success ? { kind: 'request', request: request.data } : refused(request.error, requestField)
}

type Sent = z.infer<typeof sent>

function requestOf({
  source,
  model,
  config = '',
  fileName,
  gpu,
  engine,
  stepSize,
  ...spec
}: Sent): AnalysisRequestInput {
  const { gradientCheckpointing, loraRank, ...others } = spec
  return {
    ...(source === 'model' ? { model: model?.trim() } : { config: pasted(config, fileName) }),
    ...(gpu && { gpu }),
    engine,
    ...(stepSize !== undefined && { stepSize }),
    spec: {
      ...others,
      ...(gradientCheckpointing && { gradientCheckpointing: gradientCheckpointing === 'on' }),
      ...(loraRank !== undefined && { lora: { rank: loraRank } }),
    },
  }
}

/** Browsers send CRLF from a text area. JSON is valid YAML, but the parser for JSON files gives better messages. */
function pasted(text: string, fileName = fileNameFor(text)): AnalysisRequestInput['config'] {
  return { fileName: fileName.trim(), text: text.replaceAll('\r\n', '\n') }
}

/** The file name if the reader gives none. */
function fileNameFor(text: string): string {
  if (/^\s*[{[]/.test(text)) return /"nbformat"\s*:/.test(text) ? 'notebook.ipynb' : 'config.json'
  if (/^#!.*\bpython|^(?:import|from)[ \t]+\w/m.test(text)) return 'train.py'
  return /^#!.*sh\b|^(?:torchrun|accelerate|deepspeed|python3?|llamafactory-cli|axolotl|tune|yolo|swift)[ \t]+[\w./-]/m.test(
    text,
  )
    ? 'train.sh'
    : 'config.yaml'
}

function missingSubject({ source, model, config }: Sent): FieldProblem | undefined {
  if (source === 'model' && !model) {
    return problem('model', 'no model is named', 'Choose one from the list, or enter its Hugging Face Hub id.')
  }
  if (source === 'config' && !config) {
    return problem(
      'config',
      'no config is given',
      'Paste the YAML, the JSON, the script or the notebook that sets the batch size.',
    )
  }
  return undefined
}

/** The first error of each field. */
function refused(error: z.ZodError, fieldAt: (path: readonly PropertyKey[]) => PropertyKey | undefined): FormReading {
  const problems = error.issues.map(({ path, message }) => {
    const input = fieldNames.find(name => name === fieldAt(path)) ?? 'source'
    return problem(input, message, `Correct ${fieldLabels[input]}.`)
  })
  const byInput = new Map(problems.toReversed().map(one => [one.input, one]))
  return { kind: 'refused', problems: [...byInput.values()].toReversed() }
}

/** The request's `spec.lora.rank` is the form's `loraRank`, `config.fileName` is `fileName`. */
function requestField(path: readonly PropertyKey[]): PropertyKey | undefined {
  const [first, second] = path
  if (first === 'config' && second === 'fileName') return second
  if (first !== 'spec') return first
  return second === 'lora' ? 'loraRank' : second
}

function problem(input: FieldName, message: string, fix: string): FieldProblem {
  return { code: 'form-field', field: fieldLabels[input], input, message, fix }
}
