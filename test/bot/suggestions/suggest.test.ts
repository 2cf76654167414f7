/** How many changes are worked out for the suggestions that one review takes. */
import { afterAll, expect, test } from 'vitest'
import { suggestionsFor } from '../../../bot/suggestions/suggest.ts'
import { analyze, findGpu, IsolatedEngine } from '../../../engine/index.ts'
import { noSettings } from '../../../engine/settings/settings.ts'
import { wastefulText } from '../wasteful-text.ts'

/** Tells of which files it was asked to change the batch size. */
class AskedEngine extends IsolatedEngine {
  readonly asked: string[] = []

  override proposeChange(...[file, ...rest]: Parameters<IsolatedEngine['proposeChange']>) {
    this.asked.push(file.path)
    return super.proposeChange(file, ...rest)
  }
}

const engine = new AskedEngine()
afterAll(() => engine[Symbol.asyncDispose]())

const text = wastefulText({ microBatch: 2, accumulation: 16 })
const files = Array.from({ length: 30 }, (_, index) => ({
  path: `configs/${index}.yaml`,
  text: `${text}seed: ${index}\n`,
}))
const paths = files.map(({ path }) => path)

/** The suggestions where the diff shows the whole of some files. */
async function suggested(shown: readonly string[], { accepted = '' } = {}) {
  engine.asked.length = 0
  const report = await analyze(files, { now: new Date(), gpu: findGpu('a10')! })
  const patches = new Map(shown.map(path => [path, '@@ -0,0 +1,20 @@']))
  const judged = { report, files, settings: noSettings, sources: {}, read: { changed: { patches } } }
  const lenient = { ...report, configs: report.configs.filter(({ path }) => path !== accepted) }
  const suggestions = await suggestionsFor({ engine }, judged, lenient)
  return { suggested: suggestions.map(({ path }) => path), asked: [...engine.asked] }
}

test('no more are worked out than are made', async () => {
  const first = paths.slice(0, 20)
  expect(await suggested(paths)).toEqual({ suggested: first, asked: first })
})

test('none is worked out for what the diff does not show, or what the report leaves out', async () => {
  const two = ['configs/3.yaml', 'configs/29.yaml']
  expect(await suggested(two)).toEqual({ suggested: two, asked: two })
  expect(await suggested(two, { accepted: 'configs/3.yaml' })).toEqual({
    suggested: ['configs/29.yaml'],
    asked: ['configs/29.yaml'],
  })
})
