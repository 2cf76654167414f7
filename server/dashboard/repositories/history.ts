/** One config over time: how much of its GPU it left idle at each commit. */
import { html } from 'hono/html'
import { formatGib } from '../../../engine/base/units.ts'
import { idleBytes, idlePercent } from '../../../engine/metrics/memory.ts'
import { formatCount } from '../../../engine/render/figures.ts'
import { plainPath, plainText } from '../../../engine/render/plain.ts'
import type { ConfigRecord, Page, RepositoryName } from '../../repositories.ts'
import { chart } from '../chart.ts'
import type { Html } from '../page.ts'
import { memoryChip } from '../provenance.ts'
import { verdictText } from '../verdict-text.ts'
import { dataTable, moment, nextLink, yearlySavings } from './data-table.ts'
import { historyPath, REPOSITORIES_PATH, repositoryPath } from './paths.ts'

export function historyView(name: RepositoryName, path: string, { items, next }: Page<ConfigRecord>): Html {
  return html`<p class="crumbs"><a href="${REPOSITORIES_PATH}">Repositories</a> / <a href="${repositoryPath(name)}">${name.owner}/${name.repo}</a></p>
<h1 tabindex="-1" class="path">${plainPath(path)}</h1>
${
  items.length === 0
    ? html`<section class="card"><p>No training config is known at this path.</p></section>`
    : html`${trend(items)}${commits(items)}${nextLink(next && `${historyPath(name, path)}&cursor=${encodeURIComponent(next)}`)}`
}`
}

function trend(newestFirst: readonly ConfigRecord[]): Html {
  const records = newestFirst.toReversed()
  const known = new Set(records.map(({ provenance }) => provenance))
  return chart({
    id: 'trend',
    title: html`Idle memory over time`,
    note: `One point per commit, ${[...known].join(' or ')}.`,
    xName: 'When',
    yName: 'Idle memory, percent',
    yUnit: '%',
    xKind: 'time',
    rows: records.map(({ at, gpu, current, provenance }) => ({
      x: Date.parse(at) / 1_000,
      xText: at.slice(0, 10),
      y: idlePercent(gpu, current),
      yText: `${Math.round(idlePercent(gpu, current))} %, ${provenance}`,
      remark: current.fits ? 'fits' : 'does not fit',
      isBad: !current.fits,
      isMeasured: provenance === 'measured',
    })),
  })
}

function commits(records: readonly ConfigRecord[]): Html {
  return html`<section class="card" aria-labelledby="commits-title"><h2 id="commits-title">At each commit</h2>
${dataTable(
  'The config at each commit',
  ['Commit', 'When', 'GPU', 'Micro-batch', 'Idle', 'Provenance', 'Could save per year (modelled)', 'Verdict'],
  records.map(record => [
    html`<code>${record.commit.slice(0, 7)}</code>`,
    moment(record.at),
    plainText(record.gpu.name, 40),
    formatCount(record.current.microBatch),
    record.current.fits ? formatGib(idleBytes(record.gpu, record.current)) : 'does not fit',
    memoryChip(record),
    yearlySavings(record),
    verdictText(record.verdict),
  ]),
)}</section>`
}
