/** Writes the bot's variables into docs/bot.md; `--check` compares. */
import { markdownTable } from 'markdown-table'
import { credentialVariables, variables } from '../bot/variables.ts'
import { documentSections } from './document-sections.ts'

const rows = Object.entries(variables).map(([name, { default: value, meaning }]) => [
  `\`${name}\``,
  Object.hasOwn(credentialVariables, name) ? 'required' : value === undefined ? '' : `\`${value}\``,
  meaning,
])
await documentSections(
  'docs/bot.md',
  { variables: markdownTable([['Variable', 'Default', 'Meaning'], ...rows]) },
  'bot/variables.ts',
)
