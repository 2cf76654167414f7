/**
 * A trainer of the repository's own around verl's workers, as a copy of trainer/main_ppo.py is: Hydra composes its settings from a
 * file of the repository, `@hydra.main(config_path='config', config_name='ppo_trainer')`.
 */
import { posix } from 'node:path'
import type { SourceFile } from '../reading.ts'
import { firstFile, isPlausibleName, placesFromLauncher, placesInProject, type Sources } from '../sources.ts'
import { parseFile } from '../text/document.ts'
import { quote } from '../text/quote.ts'
import type { Section } from '../text/section.ts'
import { alwaysEntropies, type WithDefaults, withVerlDefaults } from './verl-defaults.ts'

/** verl's own, from which others inherit. */
const PARENT = 'ppo_trainer'

/**
 * `given`: the arguments of a command that starts the script. Undefined where the script or its file of settings is not found, where
 * the script trains by other means than verl's, and where Hydra composes the file of more than itself and verl's.
 */
export async function withTrainerDefaults(
  given: Section,
  script: string,
  launcher: SourceFile,
  sources: Pick<Sources, 'readFile'>,
): Promise<WithDefaults | undefined> {
  const anywhere = [...placesFromLauncher(script, launcher.path), ...placesInProject(script, launcher.path)]
  const places = [...new Set(anywhere)].filter(place => isPlausibleName(place))
  const trainer = await firstFile(places, sources)
  const config = trainer && configOf(trainer)
  const isNamedElsewhere = ['config_name', 'config_path', 'config_dir'].some(key => given.at(key) !== undefined)
  if (config === undefined || isNamedElsewhere) return undefined
  const file = await firstFile([config], sources)
  const parsed = file && parseFile(file)
  if (file === undefined || parsed === undefined || parsed.kind === 'unreadable') return undefined
  const own = parsed.mappings[0]?.writtenIn(file.path)
  if (own === undefined) return undefined
  const sentence = `What the command leaves out is as ${quote(file.path)} has it.`
  if (!own.fields.has('defaults')) {
    const isWhole = own.at('actor_rollout_ref') !== undefined
    return isWhole ? { document: alwaysEntropies(given.over(own), own), sentence } : undefined
  }
  if (!inherits(own)) return undefined
  const document = given.over(own)
  const parent = await withVerlDefaults(document, launcher, sources)
  return { document: parent?.document ?? document, sentence }
}

/** The file, where the script is one of verl's trainers. */
function configOf({ path, text }: SourceFile): string | undefined {
  const usesVerl = /^[ \t]{0,20}(?:from|import) {1,4}(?:\w{1,60}\.){0,4}verl\b/m.test(text)
  if (!usesVerl || !/Ray\w{0,60}Trainer\b/.test(text)) return undefined
  const from = text.indexOf('@hydra.main(')
  const decorator = from < 0 ? '' : text.slice(from, from + 400).split(')', 1)[0]!
  const written = (key: string) => new RegExp(`\\b${key} {0,4}= {0,4}["']([^"'\\n]{1,200})["']`).exec(decorator)?.[1]
  const [folder, name] = [written('config_path'), written('config_name')]
  if (folder === undefined || name === undefined || folder.startsWith('/') || !isPlausibleName(name)) return undefined
  const config = posix.join(posix.dirname(path), folder, /\.ya?ml$/.test(name) ? name : `${name}.yaml`)
  return config.startsWith('..') ? undefined : config
}

/** `defaults: [ppo_trainer, _self_]`: the file counts above verl's. */
function inherits(own: Section): boolean {
  const list = own.fields.get('defaults')?.value
  const names = list?.kind === 'list' ? list.items.map(item => (item.kind === 'text' ? item.text : '')) : []
  return names.join() === `${PARENT},_self_`
}
