/** Which modules stay in 16 bits beside quantised ones: by what a config names, and by what the checkpoint's config.json says. */
import type { CatalogueModel } from '../../models/catalogue.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { MAX_UNQUANTIZED, namesThatMatch, type UnquantizedModules } from '../../training/unquantized.ts'
import { isBefore } from '../../training/versions.ts'
import type { FieldReader } from '../fields/fields.ts'
import { quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'

/** `llm_int8_skip_modules`, which counts for 4 bits as for 8. */
export function readUnquantized(reader: FieldReader, field: Field | undefined): UnquantizedModules | undefined {
  if (field === undefined || field.value.kind === 'empty') return undefined
  const listed = field.value.kind === 'list' ? field.value.items : undefined
  const names = listed && namesThatMatch(listed.flatMap(item => (item.kind === 'text' ? [item.text] : [])))
  if (names === undefined || listed?.some(({ kind }) => kind !== 'text')) {
    const message = `${quote(field.source)} cannot be read as names of modules that stay in 16 bits`
    const fix = `List at most ${MAX_UNQUANTIZED} names of modules, such as [lm_head, model.vision_tower].`
    return reader.refuse(field, 'unsupported-quantization', message, fix)
  }
  // transformers 5.18 quantizers/base.py get_modules_to_not_convert: the list stands in place of the output layer.
  if (!names.some(name => 'lm_head'.endsWith(name) || 'lm_head'.startsWith(name))) {
    reader.assumeMore(`The output layer is counted in 16 bits, though ${field.name} does not name it.`)
  }
  if (names.length === 0) return undefined
  const rule = isBefore(reader.versions, 'transformers', '5.0') ? 'parts' : 'ends'
  return reader.note('unquantized', { names, rule }, field)
}

/** What a quantised checkpoint says wins over what the config asks for, to which Unsloth adds it. */
export function withStoredTypes(
  reader: FieldReader,
  model: CatalogueModel,
  { quantization, unquantized: asked }: Pick<TrainingSpec, 'quantization' | 'unquantized'>,
): UnquantizedModules | undefined {
  if (quantization === undefined) return undefined
  const { unquantized: stored, id } = model
  if (stored === undefined) {
    if (isDynamic(id)) {
      reader.assume(
        "Every linear layer is counted in 4 bits. Unsloth's dynamic checkpoints keep some in 16, which ones their config.json tells: the weights take more.",
      )
    }
    return asked
  }
  const names = namesThatMatch(asked?.rule === 'either' ? [...stored, ...asked.names] : stored)
  if (names === undefined) {
    reader.assume(
      `Every linear layer is counted quantised: the config.json of ${quote(id)} names more modules that are not than are read here.`,
    )
    return asked
  }
  return names.length === 0
    ? undefined
    : reader.note('unquantized', { names, rule: 'either' }, "the checkpoint's config.json")
}

function isDynamic(name: string): boolean {
  return /-unsloth-bnb-4bit$/i.test(name)
}
