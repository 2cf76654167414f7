/** The engine, in a thread of its own: the page stays alive whatever a config makes it do, and can end it. */
import { modelIds } from '../../engine/models/catalogue.ts'
import { provideRe2, Re2NotLoaded } from '../../engine/re2.ts'
import { type Answer, answer } from '../answer.ts'
import type { Answered, Asked, Started } from '../protocol.ts'
import type { Question } from '../question.ts'

addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  const { number, question } = data
  const answered: Answered = { number, answer: await answerTo(question).catch(broken) }
  postMessage(answered)
})

const started: Started = { models: modelIds }
postMessage(started)

async function answerTo(question: Question): Promise<Answer> {
  try {
    return await answer(question, new Date())
  } catch (error) {
    if (!(error instanceof Re2NotLoaded)) throw error
    // Few configs hold patterns, so that only those wait for what reads them.
    provideRe2(await import('re2js'))
    return answer(question, new Date())
  }
}

function broken(error: unknown): Answered['answer'] {
  return { kind: 'broken', why: error instanceof Error ? error.message : String(error) }
}
