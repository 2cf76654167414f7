/** What verl's settings mean. The playground loads it when a config asks for it. */
import type { FieldReader } from '../../fields/fields.ts'
import type { ModelLookup } from '../../fields/model-fields.ts'
import type { Reading } from '../../reading.ts'
import type { Section } from '../../text/section.ts'
import { readActor } from './actor.ts'
import { readFineTuning } from './fine-tuning.ts'

export function readVerl(document: Section, reader: FieldReader, lookUp: ModelLookup): Reading {
  return document.at('actor_rollout_ref') === undefined
    ? readFineTuning(document, reader, lookUp)
    : readActor(document, reader, lookUp)
}
