/** `memorymark-bot doctor`: checks everything that the bot needs before it starts, and says what to fix. */
import { examineDatabase } from './doctor/database.ts'
import { describeFinding, type Finding } from './doctor/finding.ts'
import { examineGitHub } from './doctor/github.ts'
import { connectGitHubApp } from './installation.ts'
import { createLog } from './log.ts'
import type { Settings } from './settings.ts'

export interface DoctorOptions {
  readonly write: (line: string) => void
  readonly now: () => Date
}

/** True if nothing keeps the bot from working. `settings` have been validated before. */
export async function examine(settings: Settings, { write, now }: DoctorOptions): Promise<boolean> {
  const tell = (finding: Finding) => write(describeFinding(finding))
  tell({ kind: 'well', what: 'the environment is complete: App id, private key, and its own webhook secret' })
  const app = await connectGitHubApp({ ...settings, log: createLog('silent'), onCall: () => {} })
  const findings = [await examineDatabase(settings.database), ...(await examineGitHub({ app, now, ...settings }))]
  for (const finding of findings) tell(finding)
  const faults = findings.filter(({ kind }) => kind === 'fault').length
  write(faults === 0 ? 'The bot can start.' : `${faults === 1 ? 'One fault' : `${faults} faults`} to fix.`)
  return faults === 0
}
