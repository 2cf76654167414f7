/** The pages as the server answers them, without a browser. */
import { beforeAll, describe, expect, test } from 'vitest'
import { analyze } from '../../../engine/analyze.ts'
import type { AnalysedConfig, Report } from '../../../engine/report/schema.ts'
import type { AnalysisRequest } from '../../../server/analysis.ts'
import type { Assets } from '../../../server/dashboard/assets.ts'
import { bandInWords } from '../../band-in-words.ts'
import { hostileStrings } from '../../render/hostile-strings.ts'
import { freshAssets } from './assets.ts'
import { HandDriven } from './hand-driven.ts'
import { acme, knownRepositories } from './known-repositories.ts'
import { siteApp } from './site.ts'

const origin = 'http://127.0.0.1'
const request: AnalysisRequest = { model: 'bert', spec: {}, engine: 'auto', strategy: 'predict-verify' }

let assets: Assets
let analyses: HandDriven
let app: ReturnType<typeof siteApp>

beforeAll(async () => {
  assets = await freshAssets()
  analyses = new HandDriven()
  app = siteApp({ assets, analyses, repositories: knownRepositories() })
})

function asked(path: string, init: RequestInit = {}) {
  return app.request(`${origin}${path}`, {
    ...init,
    headers: { accept: 'text/html', host: '127.0.0.1', ...init.headers },
  })
}

function sent(path: string, fields: Record<string, string>) {
  return asked(path, { method: 'POST', body: new URLSearchParams(fields) })
}

async function bertReport(): Promise<{ report: Report; config: AnalysedConfig }> {
  const text = 'memorymark:\n  model: bert\n  batch_size: 16\n  sequence_length: 128\n'
  const report = await analyze([{ path: 'train.yaml', text }], { now: new Date('2026-03-01T12:00:00Z') })
  const [config] = report.configs
  if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
  return { report, config }
}

describe('every page', () => {
  test.each(['/', '/analyses/unknown', '/repositories', '/repositories/acme/training'])(
    '%s loads nothing from elsewhere and holds no script or style of its own',
    async path => {
      const answer = await asked(path)
      const html = await answer.text()
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      expect(html).not.toMatch(/\sstyle=|\son[a-z]+=|<style|<script(?! type="module" src="\/assets\/)/i)
      expect(html.match(/(?:src|href)="[^"]*/g)?.filter(place => !/="[/#]/.test(place))).toEqual([])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    },
  )

  test('names its script and styles by their content, to be kept for ever', async () => {
    const html = await (await asked('/')).text()
    for (const { url, contents } of [assets.script, assets.styles, assets.icon]) {
      expect(html).toContain(`"${url}"`)
      const answer = await asked(url)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(Buffer.from(await answer.arrayBuffer()).equals(contents)).toBe(true)
    }
  })

  test('is sent compressed to a browser that can read that', async () => {
    const answer = await asked('/', { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
  })
})

describe('asking', () => {
  test('leads to the page of the analysis', async () => {
    const answer = await sent('/analyses', { source: 'model', model: 'bert' })
    expect(answer.status).toBe(303)
    const page = await asked(answer.headers.get('location') ?? '')
    expect(await page.text()).toContain('Analysing bert')
  })

  test('with a slip gives the form back as it was filled in, with what is wrong', async () => {
    const answer = await sent('/analyses', { source: 'model', model: 'my/"model"', microBatch: 'zero' })
    const html = await answer.text()
    expect(answer.status).toBe(400)
    expect(html).toContain('value="my/&quot;model&quot;"')
    expect(html).toMatch(/id="microBatch-problem">is not a whole number/)
  })

  test('a busy server is told so, with when to come back', async () => {
    const busy = new HandDriven()
    busy.answer = { kind: 'queue-full', retryAfterSeconds: 60 }
    const answer = await siteApp({ assets, analyses: busy }).request(`${origin}/analyses`, {
      method: 'POST',
      body: new URLSearchParams({ model: 'bert' }),
      headers: { host: '127.0.0.1' },
    })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('60')
    expect(await answer.text()).toContain('Try again in 60 s.')
  })

  test('from the page of another site is refused', async () => {
    const answer = await asked('/analyses', {
      method: 'POST',
      body: new URLSearchParams({ model: 'bert' }),
      headers: { origin: 'https://other.example' },
    })
    expect(answer.status).toBe(403)
  })
})

describe('an analysis', () => {
  test('that waits or runs reloads itself where there is no script', async () => {
    const html = await (await asked(`/analyses/${analyses.started(request)}`)).text()
    expect(html).toContain('<noscript><meta http-equiv="refresh" content="3"></noscript>')
  })

  test('streams its lines in order, from where the reader was, and says when it ended', async () => {
    const id = analyses.started(request)
    const trial = (microBatch: number) =>
      ({
        kind: 'trial',
        trial: { microBatch, provenance: 'estimated', outcome: { kind: 'fits', peakBytes: 2 ** 30 } },
      }) as const
    analyses.happens(id, trial(16))
    analyses.happens(id, trial(32))
    analyses.happens(id, { kind: 'cancelled' })
    const stream = await asked(`/analyses/${id}/events`, { headers: { 'last-event-id': '2' } })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(await stream.text()).toBe(
      [
        'retry: 1000\n\n',
        'id: 3\nevent: line\ndata: batch 32 fits: 1.00 GiB (estimated)\n\n',
        'id: 4\nevent: end\ndata: cancelled\n\n',
      ].join(''),
    )
    expect((await asked(`/analyses/${id}/events`, { headers: { 'last-event-id': '4' } })).status).toBe(204)
  })

  test('that is not known says what became of it', async () => {
    const answer = await asked('/analyses/0123')
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('This analysis is no longer available')
    expect((await asked('/analyses/0123/events')).status).toBe(404)
  })

  test('that is done never calls an estimate measured, wherever a number stands', async () => {
    const id = analyses.started(request)
    analyses.happens(id, { kind: 'done', report: (await bertReport()).report })
    const main = (await (await asked(`/analyses/${id}`)).text()).split('<main')[1]
    expect(main).toContain(`estimated, ${bandInWords}`)
    expect(main?.replaceAll('not measured', '')).not.toContain('measured')
  })

  test('that was measured says so of memory and speed, and of the breakdown that it is modelled', async () => {
    const id = analyses.started(request)
    const { report, config } = await bertReport()
    const measured: AnalysedConfig = {
      ...config,
      provenance: 'measured',
      errorBandPercent: 0,
      throughputProvenance: 'measured',
      trials: config.trials.map(trial => ({ ...trial, provenance: 'measured' })),
    }
    analyses.happens(id, { kind: 'done', report: { ...report, configs: [measured] } })
    const html = await (await asked(`/analyses/${id}`)).text()
    expect(html.match(/<li class="bar \w+ measured \w+">/g)?.length).toBe(3)
    expect(html).toMatch(/Where the memory goes <span class="chip modelled">modelled</)
    expect(html).not.toContain('Hatched: not measured')
    expect(html).not.toContain('Open points are not measured')
    expect(html).not.toContain('estimated')
  })

  test('shows costs on the terms of its address, and on its own where those cannot be read', async () => {
    const id = analyses.started(request)
    const { report, config } = await bertReport()
    analyses.happens(id, { kind: 'done', report })
    const now = async (query: string) => {
      const html = await (await asked(`/analyses/${id}${query}`)).text()
      return /data-cost="now">([^<]+)</.exec(html)?.[1]
    }
    expect(config.current.costPerRunUsd).toBe(2.58)
    expect(await now('')).toBe('$2.58')
    expect(await now('?price=3&hours=4&runs=1')).toBe('$12.00')
    expect(await now('?price=-3&hours=lots')).toBe('$2.58')
  })
})

describe('repositories', () => {
  const repository = `/repositories/${acme.owner}/${acme.repo}`

  test('are listed with what they could save', async () => {
    const html = await (await asked('/repositories')).text()
    expect(html).toContain(`<a href="${repository}">acme/training</a>`)
    expect(html).toContain('1 blocked')
    expect(html).toContain('href="/repositories?cursor=second%20page"')
  })

  test('show configs worst first by waste or by cost', async () => {
    const orderOf = async (query: string) => {
      const html = await (await asked(repository + query)).text()
      return Array.from(
        html.matchAll(/history\?path=configs%2F(bert|gpt2)\.yaml"[^>]*>[^<]+<\/a><br>/g),
        ([, name]) => name,
      )
    }
    expect(await orderOf('')).toEqual(['bert', 'gpt2'])
    expect(await orderOf('?order=cost')).toEqual(['gpt2', 'bert'])
    expect(await orderOf('?order=sideways')).toEqual(['bert', 'gpt2'])
  })

  test('show speedup and savings as ranges, as the comment does, and older records as they were kept', async () => {
    const html = await (await asked(repository)).text()
    expect(html).toContain('1.2–1.5×')
    expect(html).toContain('$20–40')
    const history = await (await asked(`${repository}/history?path=configs/bert.yaml`)).text()
    expect(history.match(/<td>\$[^<]+/g)).toEqual(['<td>$20–40', '<td>$24', '<td>$24'])
  })

  test('show what was saved, what was accepted and why, and what is blocked', async () => {
    const html = await (await asked(repository)).text()
    expect(html).toContain('saved: micro-batch 4 → 16')
    expect(html).toContain('$120 saved')
    expect(html).toContain('accepted by octocat')
    expect(html).toContain('the sweep over learning rates needs this batch')
    expect(html).toContain('waste &gt; 40 %: 90 %')
  })

  test('show a config over time, oldest first in its chart and newest first below', async () => {
    const html = await (await asked(`${repository}/history?path=configs/bert.yaml`)).text()
    const days = Array.from(html.matchAll(/<th scope="row">(2026-02-\d\d)</g), ([, day]) => day)
    expect(days).toEqual(['2026-02-03', '2026-02-12', '2026-02-20'])
    expect(html).toMatch(/90 %, estimated/)
    expect(html).toContain('A cross does not fit.')
    expect(html.indexOf('aaaaaaa')).toBeGreaterThan(0)
  })

  test.each([
    '/repositories/nobody/nothing',
    '/repositories/nobody/nothing/history?path=a.yaml',
    '/repositories/acme/%3Cscript%3E',
  ])('%s is not known', async path => {
    const answer = await asked(path)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('Unknown repository')
  })

  test('without a bot there are none, and the page says how to get one', async () => {
    const alone = siteApp({ assets, analyses })
    const answer = await alone.request(`${origin}/repositories`, { headers: { host: '127.0.0.1' } })
    expect(await answer.text()).toContain('memorymark-bot')
  })
})

describe('hostile text changes nothing but text', () => {
  /** Tags with the names of their attributes: what a browser would build. */
  function structure(html: string): string[] {
    return Array.from(html.matchAll(/<\/?[a-z][^>]*>/gi), ([tag]) => tag.replaceAll(/"[^"]*"/g, '""'))
  }

  /** Control, format, private and unpaired characters; our own markup has line breaks alone. */
  function invisible(html: string): boolean {
    return /[^\P{C}\n]/u.test(html)
  }

  async function resultHtml(text: (original: string) => string): Promise<string> {
    const { report, config } = await bertReport()
    const id = analyses.started({ ...request, model: text('bert').slice(0, 200) })
    const hostile: AnalysedConfig = {
      ...config,
      path: text(config.path),
      dialect: text(config.dialect).slice(0, 200),
      spec: { ...config.spec, model: text(config.spec.model) },
      gpu: { ...config.gpu, name: text(config.gpu.name), priceSource: text(config.gpu.priceSource) },
      peakMoment: text(config.peakMoment),
      assumptions: config.assumptions.map(text),
    }
    analyses.happens(id, { kind: 'done', report: { ...report, configs: [hostile] } })
    const html = await (await asked(`/analyses/${id}`)).text()
    // The snippet is YAML, whose quotes and lines depend on what it holds; it is escaped like the rest.
    return html.replace(/<pre[\s\S]*?<\/pre>/g, '')
  }

  test.each(hostileStrings)('in a result: %s', async (_, text) => {
    const html = await resultHtml(() => text)
    expect(structure(html)).toEqual(structure(await resultHtml(original => original)))
    expect(invisible(html.replaceAll(/value="[^"]*"/g, ''))).toBe(false)
  })

  test.each(hostileStrings)('in an analysis that failed: %s', async (_, text) => {
    const html = async (words: string) => {
      const id = analyses.started({ ...request, model: words.slice(0, 200) })
      analyses.happens(id, { kind: 'log', text: words })
      analyses.happens(id, { kind: 'failed', problems: [{ code: 'x', message: words, fix: words, file: words }] })
      const stream = await asked(`/analyses/${id}/events`)
      expect((await stream.text()).match(/^event: \w+\ndata: .*\n$/gm)?.length).toBe(3)
      return (await asked(`/analyses/${id}`)).text()
    }
    expect(structure(await html(text))).toEqual(structure(await html('plain')))
  })

  test.each(hostileStrings)('in a repository: %s', async (_, text) => {
    const html = async (words: (original: string) => string) => {
      const hostile = siteApp({ assets, analyses, repositories: knownRepositories(words) })
      const headers = { host: '127.0.0.1' }
      const pages = [
        `/repositories/${acme.owner}/${acme.repo}`,
        `/repositories/${acme.owner}/${acme.repo}/history?path=${encodeURIComponent(words('configs/bert.yaml'))}`,
      ]
      const answers = await Promise.all(pages.map(page => hostile.request(`${origin}${page}`, { headers })))
      return (await Promise.all(answers.map(answer => answer.text()))).join('')
    }
    const hostileHtml = await html(original => (text.isWellFormed() ? text : original))
    expect(structure(hostileHtml)).toEqual(structure(await html(original => original)))
    expect(invisible(hostileHtml)).toBe(false)
  })
})
