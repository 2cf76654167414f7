/** Files that are one part of a config which Hydra composes: what they leave to `${…}` stands in another file of it. */
import { isYamlPath } from '../job/quick-look.ts'
import { plain } from '../text/quote.ts'
import type { Field, Section } from '../text/section.ts'

/** OmegaConf's reference to a value, from the top or relative; not its resolvers, such as `${oc.env:BATCH}`. */
const reference = /^\$\{\.*[A-Za-z_]\w*(?:\.\w+)*\}$/
const batchKey =
  /^(?:(?:train|training|micro|train_micro|per_device_train|per_device)_)?batch_size(?:_per_gpu|_per_device)?$/

const LEVELS = 2

/** Why it is one, as a sentence: neither its model nor its batch size is in it. Undefined for what may be a config. */
export function whyPart(document: Section, path: string, model: Field | undefined): string | undefined {
  const composes = document.at('defaults')?.value.kind === 'list'
  if (composes || !isYamlPath(path) || (model !== undefined && !isElsewhere(model))) return undefined
  const batchSize = document
    .nested(LEVELS)
    .flatMap(section => [...section.fields.keys()].flatMap(key => (batchKey.test(key) ? (section.at(key) ?? []) : [])))
    .find(isElsewhere)
  return (
    batchSize &&
    `It is a part of a config that Hydra composes: ${batchSize.name} (line ${batchSize.at.line}) is ${plain(batchSize.source)}, which another file of it sets, and it names no model.`
  )
}

/** Where the file itself sets what is referred to, the section has followed it. `???` is OmegaConf's for what must be set elsewhere. */
function isElsewhere({ value }: Field): boolean {
  return value.kind === 'text' && (value.text === '???' || reference.test(value.text))
}
