/** Optimizers by the names that transformers' Trainer knows them by, and that the tools around it share. */
import { didYouMean } from '../../base/did-you-mean.ts'
import { wordList, wordSet } from '../../base/word-list.ts'
import { isInEightBits, type Optimizer } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { isBefore, type LibraryVersions } from '../../training/versions.ts'
import type { Default, FieldReader } from '../fields/fields.ts'
import { oneOf, quote } from '../text/quote.ts'
import type { Field } from '../text/section.ts'

/** transformers 4.57 training_args.py OptimizerNames, and which of our optimizers each equals in memory. */
const trainerOptimizers: ReadonlyMap<string, Optimizer> = new Map<string, Optimizer>([
  // torch.optim.AdamW takes its foreach path on CUDA.
  ['adamw_torch', 'adamw'],
  ['adamw_torch_fused', 'adamw-fused'],
  ['adamw_apex_fused', 'adamw-fused'],
  // transformers' own AdamW, gone in version 5, loops over the parameters.
  ['adamw_hf', 'adamw-loop'],
  // The Trainer hands torch.optim.SGD no momentum.
  ['sgd', 'sgd'],
  ['rmsprop', 'rmsprop'],
  ['adafactor', 'adafactor'],
  ['adamw_8bit', 'adamw-8bit'],
  ['adamw_bnb_8bit', 'adamw-8bit'],
  // torchao: 8-bit state in blocks of 256, as bitsandbytes' is.
  ['adamw_torch_8bit', 'adamw-8bit'],
  ['paged_adamw', 'paged-adamw'],
  ['paged_adamw_32bit', 'paged-adamw'],
  ['paged_adamw_8bit', 'paged-adamw-8bit'],
  ['lion', 'lion'],
  // bitsandbytes', as the three below.
  ['lion_32bit', 'lion-32bit'],
])

/** Optimizers that are counted as another with more state, so that the estimate errs on the safe side. */
const heavierKin: ReadonlyMap<string, readonly [optimizer: Optimizer, sentence: string]> = new Map([
  [
    'adamw_torch_4bit',
    ['adamw-8bit', '4-bit AdamW is counted as 8-bit: the estimate is up to 1 byte per parameter high.'],
  ],
  [
    'ao_adamw_4bit',
    ['adamw-8bit', '4-bit AdamW is counted as 8-bit: the estimate is up to 1 byte per parameter high.'],
  ],
  ['ao_adamw_8bit', ['adamw-8bit', "torchao's 8-bit AdamW is counted like bitsandbytes'."]],
  [
    'muon',
    ['adamw-fused', "Muon keeps one momentum per matrix but is counted with AdamW's two: the estimate is high."],
  ],
  ['lion_8bit', ['lion-32bit', "Lion's 8-bit state is counted in 32 bits."]],
  ['paged_lion', ['lion-32bit', "Lion's paged state is counted on the GPU."]],
  ['paged_lion_32bit', ['lion-32bit', "Lion's paged state is counted on the GPU."]],
  ['paged_lion_8bit', ['lion-32bit', "Lion's paged 8-bit state is counted on the GPU, in 32 bits."]],
])

const unsupported = wordList(`
  adagrad rmsprop_bnb rmsprop_bnb_8bit rmsprop_bnb_32bit adamw_anyprecision adamw_torch_xla adamw_torch_npu_fused ademamix
  ademamix_8bit paged_ademamix_32bit paged_ademamix_8bit galore_adamw galore_adamw_8bit galore_adafactor galore_adamw_layerwise
  galore_adamw_8bit_layerwise galore_adafactor_layerwise lomo adalomo grokadamw schedule_free_radam schedule_free_adamw
  schedule_free_sgd apollo_adamw apollo_adamw_layerwise stable_adamw optimi_adamw adopt_adamw came_pytorch dion ao_adamw_fp8
`)

/** torchao's, which keep 8 bits of every parameter. */
const torchaos = wordSet('adamw_torch_8bit adamw_torch_4bit ao_adamw_8bit ao_adamw_4bit')

/** `groupsEmbeddings`: the tool gives embeddings a rate of their own, for which it leaves the Trainer's way with them. */
export function readTrainerOptimizer(
  reader: FieldReader,
  field: Field | undefined,
  byDefault = defaultFor(reader.versions),
  groupsEmbeddings = false,
): Pick<TrainingSpec, 'optimizer' | 'eightBitEmbeddings'> {
  const optimizer = reader.settle('optimizer', field, present => trainerOptimizer(reader, present), byDefault)
  const isTorchaos = field?.value.kind === 'text' && torchaos.has(field.value.text)
  const isOfAll = isInEightBits(optimizer) && (isTorchaos || groupsEmbeddings)
  return { optimizer, ...(isOfAll && { eightBitEmbeddings: true }) }
}

/** TrainingArguments.optim: adamw_hf until transformers#25109, fused with PyTorch 2.8 and later since transformers#37358. */
function defaultFor(versions: LibraryVersions): Default<Optimizer> {
  if (isBefore(versions, 'transformers', '4.32'))
    return trainerDefault('adamw-loop', "transformers' own AdamW", 'before transformers 4.32')
  if (isBefore(versions, 'transformers', '4.54')) return trainerDefault('adamw', 'AdamW', 'before transformers 4.54')
  return isBefore(versions, 'torch', '2.8')
    ? trainerDefault('adamw', 'AdamW', 'before PyTorch 2.8')
    : trainerDefault('adamw-fused', 'Fused AdamW', 'from PyTorch 2.8 on')
}

function trainerDefault(value: Optimizer, name: string, when: string): Default<Optimizer> {
  const source = `the Trainer's default ${when}`
  return { value, source, assumption: `${name}, ${source}: the config sets no optim.` }
}

function trainerOptimizer(reader: FieldReader, field: Field): Optimizer | undefined {
  const name = reader.text(field)
  if (name === undefined) return undefined
  const optimizer = trainerOptimizers.get(name)
  if (optimizer !== undefined) return optimizer
  const [kin, sentence] = heavierKin.get(name) ?? []
  if (kin === undefined || sentence === undefined) return refuse(reader, field, name)
  reader.assumeMore(sentence)
  return kin
}

function refuse(reader: FieldReader, field: Field, name: string): undefined {
  const use = `Supported: ${oneOf([...trainerOptimizers.keys()])}.`
  if (unsupported.includes(name)) {
    return reader.refuse(field, 'unsupported-optimizer', `The optimizer ${quote(name)} is not supported yet`, use)
  }
  const fix = didYouMean(name, [...trainerOptimizers.keys(), ...heavierKin.keys(), ...unsupported], use)
  return reader.refuse(field, 'unknown-optimizer', `Unknown optimizer ${quote(name)}`, fix)
}
