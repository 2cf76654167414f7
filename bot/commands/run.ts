/** Runs a command from a comment: parses it, checks permission, performs it, and answers once. */
import { inlineCode } from '../../engine/index.ts'
import { type PullRequest, readPullRequest, type Work } from '../github.ts'
import { type Failure, failureOf } from '../queue/failure.ts'
import type { JudgedConfigs } from '../suggestions/proposals.ts'
import { accept } from './accept.ts'
import { accessNeeded, mayWrite } from './access.ts'
import { type Answer, declined, give } from './answer.ts'
import type { Asked } from './asked.ts'
import type { Command, CommandName } from './command.ts'
import { explain } from './explain.ts'
import { fix } from './fix.ts'
import { fixWithLever } from './fix-with-lever.ts'
import { help } from './help.ts'
import { ok } from './ok.ts'
import { type Parsed, parseComment } from './parse.ts'
import type { CommandRequest } from './request.ts'
import { rerun } from './rerun.ts'
import { snooze } from './snooze.ts'

/** Judges a pull request without writing anything. */
export type Judge = (work: Work, pull: PullRequest) => Promise<JudgedConfigs>

/** Bots' comments are never answered, so that two bots cannot loop. */
export async function runCommand(work: Work, request: CommandRequest, judge: Judge): Promise<void> {
  const parsed = parseComment(request.body)
  if (parsed.kind === 'none' || request.author.endsWith('[bot]')) return
  const { data: comment } = await work.github.rest.issues.getComment({
    ...work.repository,
    comment_id: request.commentId,
  })
  if (comment.user?.type !== 'User') return
  const at = new Date(comment.created_at)
  try {
    await give(work, request, await answerTo({ work, request, at, judge }, parsed), comment.created_at)
  } catch (error) {
    const answer = answerToFailure(failureOf(error, new Date()))
    if (answer !== undefined) await give(work, request, answer, comment.created_at)
    throw error
  }
  work.log.info(
    { pull: request.pullNumber, command: parsed.kind === 'command' ? parsed.command.kind : parsed.kind },
    'A command was answered',
  )
}

/** Every command gets an answer, but temporary failures are retried first. */
function answerToFailure(failure: Failure): Answer | undefined {
  switch (failure.kind) {
    case 'fault':
      return declined("This failed because of an internal error; the bot's log says more.")
    case 'forbidden':
      return declined('This failed because the App lacks a permission; `memorymark-bot doctor` says which.')
    case 'passing':
    case 'limited':
    case 'gone':
      return undefined
  }
}

interface Asking {
  readonly work: Work
  readonly request: CommandRequest
  readonly at: Date
  readonly judge: Judge
}

async function answerTo(asking: Asking, parsed: Exclude<Parsed, { kind: 'none' }>): Promise<Answer> {
  switch (parsed.kind) {
    case 'unknown':
      return unknownCommand(parsed.word, parsed.meant)
    case 'malformed':
      return declined(`${inlineCode(`/memorymark ${parsed.name}`)}: ${lowercased(parsed.problem)}. ${seeHelp}`)
    case 'command': {
      const answer = await answerToCommand(asking, parsed.command)
      return parsed.others === 0 ? answer : { ...answer, reply: withFirstOnly(answer.reply) }
    }
  }
}

async function answerToCommand(asking: Asking, command: Command): Promise<Answer> {
  const { work, request, at, judge } = asking
  if (accessNeeded(command.kind) === 'write' && !(await mayWrite(work, request.author))) {
    return declined(`${inlineCode(`/memorymark ${command.kind}`)} needs write access to this repository.`)
  }
  const pull = await readPullRequest(work, request.pullNumber)
  if (!pull.isOpen && !isForClosed(command.kind)) return closed
  return carryOut({ work, pull, by: request.author, commentId: request.commentId, at }, command, judge)
}

async function carryOut(asked: Asked, command: Command, judge: Judge): Promise<Answer> {
  const judged = () => judge(asked.work, asked.pull)
  switch (command.kind) {
    case 'help':
      return help()
    case 'rerun':
      return rerun(asked)
    case 'ok':
      return ok(asked, command.sha)
    case 'accept':
      return accept(asked, await judged(), command)
    case 'snooze':
      return snooze(asked, command.days)
    case 'explain':
      return explain(asked)
    case 'fix':
      return command.lever === undefined
        ? fix(asked, await judged())
        : fixWithLever(asked, await judged(), command.lever)
  }
}

const seeHelp = `${inlineCode('/memorymark help')} lists the commands.`

const closed = declined('This pull request is closed.')

function isForClosed(name: CommandName): boolean {
  return name === 'help' || name === 'explain'
}

function unknownCommand(word: string, meant: CommandName | undefined): Answer {
  const didYouMean = meant === undefined ? '' : ` Did you mean ${inlineCode(`/memorymark ${meant}`)}?`
  return declined(`Unknown command ${inlineCode(word, 50)}.${didYouMean} ${seeHelp}`)
}

function withFirstOnly(reply: string | undefined): string {
  const note = 'Only the first command of a comment is carried out.'
  return reply === undefined ? note : `${reply}\n\n${note}`
}

function lowercased(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
