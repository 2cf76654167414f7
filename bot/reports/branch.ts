/** All configs of the default branch: measured if a run has measured this very text, otherwise estimated. */
import {
  type AnalysedConfig,
  type ConfigResult,
  configKey,
  judgedAlone,
  type Report,
  type RepositorySettings,
  restOnSameFiles,
} from '../../engine/index.ts'
import { everythingAt } from '../change.ts'
import type { Work } from '../github.ts'
import { readTeamSettings } from '../repository-settings.ts'
import { blobsOf, type ConfigBlob, reportedConfigs } from '../store/measured-configs.ts'

export interface Branch {
  readonly name: string
  readonly commit: string
  readonly hasIssues: boolean
}

export interface BranchReading {
  readonly branch: Branch
  readonly report: Report
  readonly settings: RepositorySettings
  /** What was not read and why; Markdown. */
  readonly remarks: readonly string[]
}

/** A generous limit: nobody waits for it, and only people with write access change the branch. */
const BRANCH_MILLIS = 10 * 60_000

export async function readDefaultBranch(work: Work): Promise<BranchReading> {
  const branch = await defaultBranch(work)
  const team = await readTeamSettings(work)
  const read = await everythingAt(work, branch.commit).read(team.settings)
  const estimate = await work.analyze(read.files, {
    settings: team.settings,
    sources: { readFile: read.readFile, listFolder: read.listFolder },
    base: read.base,
    totalMillis: BRANCH_MILLIS,
  })
  return {
    branch,
    report: await withMeasured(work, estimate, branch.commit, read.blobs),
    settings: team.settings,
    remarks: [...team.remarks, ...read.remarks],
  }
}

async function defaultBranch({ github, repository }: Work): Promise<Branch> {
  const { data } = await github.rest.repos.get(repository)
  const { data: branch } = await github.rest.repos.getBranch({ ...repository, branch: data.default_branch })
  return { name: data.default_branch, commit: branch.commit.sha, hasIssues: data.has_issues }
}

async function withMeasured(
  { database, place }: Work,
  estimate: Report,
  commit: string,
  blobs: readonly ConfigBlob[],
): Promise<Report> {
  const own = blobsOf(estimate.configs, blobs)
  const reported = Map.groupBy(await reportedConfigs(database, place, commit, own), ({ path }) => path)
  return {
    ...estimate,
    configs: estimate.configs.map(config => {
      const [known] = (reported.get(configKey(config)) ?? []).flatMap(({ result }) =>
        isMeasured(result) && restOnSameFiles(result, config) ? [result] : [],
      )
      return known === undefined ? config : judgedAlone(known, estimate.policy)
    }),
  }
}

function isMeasured(config: ConfigResult): config is AnalysedConfig {
  return config.status === 'analysed' && config.provenance === 'measured'
}
