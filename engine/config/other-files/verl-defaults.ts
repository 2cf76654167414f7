/** What a copy of verl in the repository takes where a command says nothing: its own file, if that is whole. */
import type { SourceFile } from '../reading.ts'
import { firstFile, placesInProject, type Sources } from '../sources.ts'
import { parseFile } from '../text/document.ts'
import { quote } from '../text/quote.ts'
import type { Section } from '../text/section.ts'

const FOLDER = 'verl/trainer/config'

export interface WithDefaults {
  readonly document: Section
  readonly sentence: string
}

/**
 * `given`: the arguments of a command. Undefined where the repository has no such file, or one with a defaults list: those releases
 * have the defaults that the dialect has.
 */
export async function withVerlDefaults(
  given: Section,
  launcher: SourceFile,
  sources: Pick<Sources, 'readFile'>,
): Promise<WithDefaults | undefined> {
  const name = given.at('actor_rollout_ref') === undefined ? 'sft_trainer' : 'ppo_trainer'
  const file = await firstFile(placesInProject(`${FOLDER}/${name}.yaml`, launcher.path), sources)
  const parsed = file && parseFile(file)
  if (file === undefined || parsed === undefined || parsed.kind === 'unreadable') return undefined
  const base = parsed.mappings[0]?.writtenIn(file.path)
  if (base === undefined || base.fields.has('defaults')) return undefined
  return {
    document: alwaysEntropies(given.over(base), base),
    sentence: `What the command leaves out is as ${quote(file.path)} has it.`,
  }
}

/**
 * The settings with the coefficient of the file that they lie over, where that is not zero: verl 0.2 workers/actor/dp_actor.py computes
 * entropies then, whatever a command sets it to.
 */
export function alwaysEntropies(document: Section, base: Section): Section {
  const entropy = base.at('actor_rollout_ref', 'actor', 'entropy_coeff')
  if (entropy?.value.kind !== 'number' || entropy.value.number === 0) return document
  return document.overridden([{ ...entropy, key: 'actor_rollout_ref.actor.entropy_coeff' }])
}
