/**
 * The permissions and events that the bot needs from GitHub. bot/app.yml asks for the same; a test compares the two.
 */

export type Level = 'read' | 'write'

export interface Need {
  readonly level: Level
  /** What does not work without it, as a clause. */
  readonly without: string
}

export const neededPermissions: Readonly<Record<string, Need>> = {
  metadata: { level: 'read', without: 'no installation works' },
  checks: { level: 'write', without: 'no pull request gets its check' },
  contents: { level: 'write', without: 'configs are not read, and /memorymark fix opens no pull request' },
  pull_requests: { level: 'write', without: 'changed files are not listed and nothing is commented or suggested' },
  issues: { level: 'write', without: 'commands are not received and the weekly report has no issue' },
  actions: { level: 'write', without: 'GPU runs are neither started nor read' },
  merge_queues: { level: 'read', without: 'merge queues wait for their check forever' },
}

/** The events, each with what does not work without it. */
export const neededEvents: Readonly<Record<string, string>> = {
  pull_request: 'pull requests are found only by the periodic scan, minutes later',
  check_run: 'Re-run on the check does nothing',
  check_suite: 'Re-run all checks does nothing',
  workflow_run: 'reports of GPU runs are taken minutes late',
  merge_group: 'merge queues wait for their check forever',
  issue_comment: 'commands are not received',
}
