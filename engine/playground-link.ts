/** The link that opens a config in the playground, given only if the page would read the config the same way. */
import { fragmentOf } from './base/fragment.ts'
import { isSameData } from './base/same-data.ts'
import { readConfigAsync } from './config/read.ts'
import type { SourceFile } from './config/reading.ts'
import { configName } from './config/training-place.ts'
import { gpus } from './gpus/catalogue.ts'
import type { CatalogueModel } from './models/catalogue.ts'
import { findingOf } from './render/verdict.ts'
import { MAX_PLAYGROUND_LINK } from './report/playground-address.ts'
import type { AnalysedConfig, ConfigResult } from './report/schema.ts'
import type { RepositorySettings } from './settings/settings.ts'

/** In characters. A longer text hardly fits into a link. */
const MAX_TEXT = 20_000

/** File names that the page's form accepts. */
const FILE_NAME = /^[\w ./@+-]{1,180}\.(?:yaml|yml|json|sh|bash|slurm|sbatch|(?:py|ipynb)(?::\d{1,7})?)$/

/** Patterns of tokens, and of lines that set a password or a key. */
const secrets = [
  /\b(?:hf_|gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|AIza|eyJ)[\w-]{12}/,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  /(?:token|secret|passwd|password|api_?key|credentials?)["']?\s{0,20}[:=]\s{0,20}["']?[\w.+/=-]{12}/i,
  /\w:\/\/[^\s/@:]{1,100}:[^\s/@]{1,100}@/,
]

export interface LinkTerms {
  readonly settings: RepositorySettings
  /** The model that the config was judged with. */
  readonly model: CatalogueModel
}

/** Adds no link if the settings name no playground, the verdict is `fine`, or the page could not show the same. */
export async function withPlaygroundLink(
  result: ConfigResult,
  { text }: Pick<SourceFile, 'text'>,
  terms: LinkTerms,
): Promise<ConfigResult> {
  if (result.status !== 'analysed' || findingOf(result) === 'fine') return result
  const link = await playgroundLink(result, text, terms)
  return link === undefined ? result : { ...result, playgroundLink: link }
}

async function playgroundLink(
  result: AnalysedConfig,
  text: string,
  { settings, model }: LinkTerms,
): Promise<string | undefined> {
  const { playground } = settings
  if (playground === undefined || playground === 'never') return undefined
  const fileName = configName(result)
  const isShort = text.length <= MAX_TEXT && FILE_NAME.test(fileName)
  if (!isShort || secrets.some(secret => secret.test(text))) return undefined
  if (settings.marginPercent !== undefined || result.calibration !== undefined) return undefined
  const card = gpus.find(({ id }) => id === result.gpu.id)
  if (card === undefined || !(await readsTheSame(result, text, model))) return undefined
  const hasOwnPrice = result.gpu.pricePerHourUsd !== card.pricePerHourUsd
  const question = {
    values: {
      source: 'config',
      config: text,
      fileName,
      ...(!result.assumed?.includes('gpu') && { gpu: card.id }),
      ...(settings.stepSize !== undefined && { stepSize: String(settings.stepSize) }),
    },
    terms: {
      ...(hasOwnPrice && { price: String(result.gpu.pricePerHourUsd) }),
      hours: String(result.hoursPerRun),
      runs: String(result.runsPerYear),
    },
  }
  const fragment = await fragmentOf(question, MAX_PLAYGROUND_LINK - playground.length)
  return fragment && `${playground}${fragment}`
}

/** The page has only the text: no other files of the repository, no settings, no Hub. */
async function readsTheSame(
  { path, training, spec }: AnalysedConfig,
  text: string,
  model: CatalogueModel,
): Promise<boolean> {
  const again = await readConfigAsync({ path, text, ...(training && { training: { line: training.line } }) }, {})
  if (again.kind !== 'training-config') return false
  return (
    isSameData(plainData(again.spec), plainData(spec)) &&
    isSameData(plainData(again.model.config), plainData(model.config))
  )
}

/** The value as JSON has it, without keys that are undefined. */
function plainData(value: object): unknown {
  return JSON.parse(JSON.stringify(value))
}
