/** Puts the results of all configs into a report, with the policy that judged them. */
import { version } from './base/version.ts'
import { onePerTraining } from './report/one-per-training.ts'
import { type ConfigResult, REPORT_SCHEMA, type Report } from './report/schema.ts'
import { noSettings, type RepositorySettings } from './settings/settings.ts'
import { defaultPolicy, type Policy } from './verdict/policy.ts'

export interface ReportTerms {
  readonly now: Date
  /** Overrides the settings' policy. */
  readonly policy?: Partial<Policy>
  readonly settings?: RepositorySettings
}

export function reportOn(configs: readonly ConfigResult[], terms: ReportTerms): Report {
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: terms.now.toISOString(),
    policy: policyOf(terms),
    configs: onePerTraining(configs),
  }
}

/** The default floor on gains applies only with our own `fail-on`, not with the team's. */
export function policyOf({ policy, settings = noSettings }: Omit<ReportTerms, 'now'>): Policy {
  const failOn = policy?.failOn ?? settings.failOn
  const warnOn = policy?.warnOn ?? settings.warnOn ?? defaultPolicy.warnOn
  return failOn === undefined ? { ...defaultPolicy, warnOn } : { failOn, warnOn }
}
