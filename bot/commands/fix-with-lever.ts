/** `/memorymark fix <n>`: opens a pull request onto this one's branch with lever <n> of the report. */
import {
  configName,
  escapeText,
  inlineCode,
  inlinePath,
  namesOf,
  numberedLever,
  withLines,
} from '../../engine/index.ts'
import type { JudgedConfigs } from '../suggestions/proposals.ts'
import { type Answer, declined, told } from './answer.ts'
import type { Asked } from './asked.ts'
import { openFix } from './fix.ts'

export async function fixWithLever(asked: Asked, { report, files }: JudgedConfigs, number: number): Promise<Answer> {
  const { pull } = asked
  const numbered = numberedLever(report, number)
  if (numbered === undefined) return declined('No config here needs more memory than its GPU has.')
  const { config, lever } = numbered
  const file = files.find(({ path }) => path === config.path)
  const name = inlinePath(configName(config))
  if (lever === undefined || file === undefined) return declined(`The report lists no number ${number} for ${name}.`)
  const what = namesOf(lever, config.current.microBatch)
  const variable =
    lever.environment === undefined ? [] : [`Set ${inlineCode(lever.environment)} where the training starts.`]
  if (lever.lines.length === 0) {
    const elsewhere =
      lever.gpu === undefined ? '' : ' Start the training there, and name that GPU in .github/memorymark.yml.'
    return declined([`No line of ${name} says this: ${escapeText(what)}.${elsewhere}`, ...variable].join(' '))
  }
  const change = { path: config.path, before: file.text, after: withLines(file.text, lever.lines) }
  if (pull.isFork) {
    const fork = 'This pull request comes from a fork, to which the bot cannot push. The report has the lines to paste.'
    return told([fork, ...variable].join(' '))
  }
  const opened = await openFix(asked, [change], `Free memory: ${what}`.slice(0, 200))
  const merge = `Merge it into ${inlineCode(pull.headRef, 200)} to apply it.`
  return told([`#${opened} changes ${name}: ${escapeText(what)}.`, merge, ...variable].join(' '))
}
