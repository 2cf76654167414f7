/** `/memorymark accept <reason>`: what blocks now passes until it gets worse, with the person's name and reason. */
import { acceptability, type ConfigResult, configName, inlineCode, inlinePath } from '../../engine/index.ts'
import { keepAcceptance } from '../store/acceptances.ts'
import type { JudgedConfigs } from '../suggestions/proposals.ts'
import { type Answer, declined, done, told } from './answer.ts'
import type { Asked } from './asked.ts'
import type { Command } from './command.ts'

type Accept = Extract<Command, { kind: 'accept' }>

export async function accept(
  { work, pull: { number }, by, commentId, at }: Asked,
  { report }: JudgedConfigs,
  { reason, outOfMemory }: Accept,
): Promise<Answer> {
  const { database, queue, place } = work
  const answers = report.configs.map(config => ({ config, answer: acceptability(config, { outOfMemory }) }))
  const configs = answers.flatMap(({ answer }) => (answer.kind === 'acceptable' ? [answer.accepted] : []))
  const left = answers.flatMap(({ config, answer }) => (answer.kind === 'out-of-memory' ? [config] : []))
  if (configs.length === 0) return left.length === 0 ? nothingToAccept : declined(stillBlocks(left))
  await database.transaction(async sql => {
    const acceptance = { commentId, by, reason, configs, at }
    await keepAcceptance(sql, { ...place, pullNumber: number }, acceptance)
    await queue.send([{ kind: 'pull-request', ...place, number }], { sql })
  })
  queue.announce()
  return left.length === 0 ? done : told(stillBlocks(left))
}

const nothingToAccept = declined('Nothing blocks this pull request, so there is nothing to accept.')

/** More names than this do not help in a sentence. */
const MAX_PATHS = 10

function stillBlocks(configs: readonly ConfigResult[]): string {
  const paths = configs.slice(0, MAX_PATHS).map(config => inlinePath(configName(config)))
  const rest = configs.length > MAX_PATHS ? [`${configs.length - MAX_PATHS} more`] : []
  const verb = configs.length === 1 ? 'goes' : 'go'
  return `${[...paths, ...rest].join(', ')} ${verb} out of memory, which has to be accepted explicitly. If the figures are wrong, write ${inlineCode('/memorymark accept out-of-memory <reason>')}; if it runs on another GPU, set that in ${inlineCode('.github/memorymark.yml')}.`
}
