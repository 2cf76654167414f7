/** The engine, in a thread of its own: the page stays alive whatever a config makes it do, and can end it. */
import { provideRe2, Re2NotLoaded } from '../../engine/base/re2.ts'
import { modelIds } from '../../engine/models/catalogue.ts'
import { answer } from '../answer.ts'
import { provideLosses } from '../family-losses.ts'
import { FamiliesNotLoaded, provideModels } from '../model-types.ts'
import { provideRows } from '../op-rows.ts'
import type { Answered, Asked, FoundLevers, Offered } from '../protocol.ts'
import { provideReaders, ReadersNotLoaded } from '../tool-readers.ts'

addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  const { number, question } = data
  const { levers, ...first } = await loading(() => answer(question, new Date())).catch(broken)
  postMessage({ number, answer: first, looksForLevers: levers !== undefined } satisfies Answered)
  if (!isOffered) postMessage({ models: modelIds } satisfies Offered)
  isOffered = true
  if (levers === undefined) return
  const found = loading(levers).then(html => ({ kind: 'found' as const, html }))
  postMessage({ number, levers: await found.catch(broken) } satisfies FoundLevers)
})

let isOffered = false

async function loading<T>(answering: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await answering()
    } catch (error) {
      await loadMissing(error)
    }
  }
}

/** Few configs hold patterns, are of rarer tools or name models of other families, so that only those wait for what reads them. */
async function loadMissing(error: unknown): Promise<void> {
  if (error instanceof Re2NotLoaded) return provideRe2(await import('re2js'))
  if (error instanceof ReadersNotLoaded) return provideReaders(await import('../late-readers.ts'))
  if (error instanceof FamiliesNotLoaded) {
    const late = await import('../late-models.ts')
    provideLosses(late)
    provideRows(late.opRows)
    return provideModels(late.families, late.rows)
  }
  throw error
}

function broken(error: unknown): { readonly kind: 'broken'; readonly why: string; readonly levers?: undefined } {
  return { kind: 'broken', why: error instanceof Error ? error.message : String(error) }
}
