/** A family of decoders that a blueprint describes. */
import type * as z from 'zod'
import { type ConfigSchema, type Family, family, type ProgramTerms, type Traits } from '../family.ts'
import { type Blueprint, decoderModel } from './blueprint.ts'

export function decoder<Schema extends ConfigSchema>(
  config: Schema,
  blueprint: (config: z.infer<Schema>, terms: ProgramTerms) => Blueprint,
  traits: Traits<z.infer<Schema>> = {},
): Family<Schema> {
  const forward: Family<Schema>['forward'] = (ops, own, terms) => decoderModel(ops, blueprint(own, terms), terms)
  return family('decoder', config, forward, traits)
}
