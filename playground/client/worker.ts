/** The engine, in a thread of its own: the page stays alive whatever a config makes it do, and can end it. */
import { modelIds } from '../../engine/models/catalogue.ts'
import { provideRe2, Re2NotLoaded } from '../../engine/re2.ts'
import { type Answer, answer } from '../answer.ts'
import { FamiliesNotLoaded, provideFamilies } from '../model-types.ts'
import type { Answered, Asked, Offered } from '../protocol.ts'
import type { Question } from '../question.ts'

addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  const { number, question } = data
  const answered: Answered = { number, answer: await answerTo(question).catch(broken) }
  postMessage(answered)
  if (!isOffered) postMessage({ models: modelIds } satisfies Offered)
  isOffered = true
})

let isOffered = false

async function answerTo(question: Question): Promise<Answer> {
  for (;;) {
    try {
      return await answer(question, new Date())
    } catch (error) {
      await loadMissing(error)
    }
  }
}

/** Few configs hold patterns or name models of other families, so that only those wait for what reads them. */
async function loadMissing(error: unknown): Promise<void> {
  if (error instanceof Re2NotLoaded) return provideRe2(await import('re2js'))
  if (error instanceof FamiliesNotLoaded) {
    const { families } = await import('../../engine/models/families.ts')
    return provideFamilies(families)
  }
  throw error
}

function broken(error: unknown): Answered['answer'] {
  return { kind: 'broken', why: error instanceof Error ? error.message : String(error) }
}
