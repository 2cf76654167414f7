/** What `memorymark-bot --help` prints. */
import { credentialVariables, variables } from './variables.ts'

const commands = {
  '': 'receive webhooks and do the work, until SIGTERM; without an App, serve a page that creates one',
  doctor: 'check the secret, the key, the clock, the database and what GitHub has granted, and say what to fix',
  'export <installation>': 'write what is kept about an installation to standard output, as JSON lines',
  'delete <installation>': 'delete what is kept about an installation',
} as const

const exitCodes = {
  0: 'ended as asked; `doctor`: the bot can start',
  1: '`doctor`: there are faults to fix; otherwise a bug in MemoryMark, with its stack',
  2: 'a command that does not exist, a variable to fix, or a service that does not answer',
} as const

const COMMAND_WIDTH = Math.max(...Object.keys(commands).map(form => form.length))
const NAME_WIDTH = Math.max(...Object.keys(variables).map(name => name.length))

export const usage = `The GitHub App of MemoryMark: a check and a comment on every pull request that changes a training config.

${Object.entries(commands)
  .map(([form, purpose]) => `memorymark-bot ${form.padEnd(COMMAND_WIDTH)}  ${purpose}`)
  .join('\n')}
memorymark-bot ${'--help, --version'.padEnd(COMMAND_WIDTH)}  show this, or the version

Settings come from the environment:
${Object.entries(variables)
  .map(([name, { meaning, default: value }]) => `  ${name.padEnd(NAME_WIDTH)}  ${meaning}${defaultOf(name, value)}`)
  .join('\n')}

Exit codes:
${Object.entries(exitCodes)
  .map(([code, meaning]) => `  ${code}  ${meaning}`)
  .join('\n')}`

function defaultOf(name: string, value: string | undefined): string {
  if (Object.hasOwn(credentialVariables, name)) return ' Required, here or in MEMORYMARK_CREDENTIALS.'
  return value === undefined ? '' : ` (default ${value})`
}
