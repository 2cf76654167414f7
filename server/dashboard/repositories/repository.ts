/** One repository: its configs by waste or cost, what was saved, what was blocked and accepted. */
import { html } from 'hono/html'
import { formatGib } from '../../../engine/base/units.ts'
import { idleBytes, idlePercent } from '../../../engine/metrics/memory.ts'
import { formatCount, formatRatio, formatRatioRange, formatYearlyUsd } from '../../../engine/render/figures.ts'
import { plainPath, plainText } from '../../../engine/render/plain.ts'
import type {
  ConfigOrder,
  ConfigRecord,
  Decision,
  LedgerEntry,
  LedgerTotals,
  Page,
  RepositoryName,
} from '../../repositories.ts'
import type { Html } from '../page.ts'
import { chip, memoryChip } from '../provenance.ts'
import { verdictText } from '../verdict-text.ts'
import { dataTable, moment, nextLink, yearlySavings } from './data-table.ts'
import { historyPath, REPOSITORIES_PATH, repositoryPath } from './paths.ts'

export interface RepositoryRecords {
  readonly configs: Page<ConfigRecord>
  readonly ledger: Page<LedgerEntry> & { readonly totals: LedgerTotals }
  readonly decisions: Page<Decision>
}

export function repositoryView(name: RepositoryName, order: ConfigOrder, records: RepositoryRecords): Html {
  return html`<p class="crumbs"><a href="${REPOSITORIES_PATH}">Repositories</a></p>
<h1 tabindex="-1">${name.owner}/${name.repo}</h1>
${totals(records.ledger.totals)}
${configsCard(name, order, records.configs)}
${ledgerCard(name, records.ledger)}
${decisionsCard(name, records.decisions)}`
}

function totals({ savedPerYearUsd, forgonePerYearUsd }: LedgerTotals): Html {
  return html`<dl class="gains">
<div class="card gain"><dt>Saved per year ${chip('modelled')}</dt><dd><strong>${formatYearlyUsd(savedPerYearUsd)}</strong><span>by merged pull requests</span></dd></div>
<div class="card gain"><dt>Forgone per year ${chip('modelled')}</dt><dd><strong class="plain">${formatYearlyUsd(forgonePerYearUsd)}</strong><span>through accepted waste</span></dd></div>
</dl>`
}

function configsCard(name: RepositoryName, order: ConfigOrder, { items, next }: Page<ConfigRecord>): Html {
  const by = (other: ConfigOrder, words: string) =>
    other === order
      ? html`<strong>${words}</strong>`
      : html`<a href="${repositoryPath(name)}?order=${other}">${words}</a>`
  return html`<section class="card" aria-labelledby="configs-title"><h2 id="configs-title">Configs</h2>
<p class="sub">Worst first, by ${by('waste', 'waste')} or ${by('cost', 'cost')}.</p>
${
  items.length === 0
    ? html`<p>There is no training config on the default branch.</p>`
    : dataTable(
        'Configs on the default branch',
        ['Config', 'Idle', 'Provenance', 'Micro-batch', 'Speedup', 'Could save per year', 'Verdict'],
        items.map(record => configRow(name, record)),
      )
}
${nextLink(next && `${repositoryPath(name)}?order=${order}&configs=${encodeURIComponent(next)}`)}
</section>`
}

function configRow(name: RepositoryName, record: ConfigRecord) {
  const { path, model, gpu, current, recommended, speedup, speedupRange, verdict } = record
  const change =
    recommended && recommended.microBatch !== current.microBatch ? ` → ${formatCount(recommended.microBatch)}` : ''
  return [
    html`<a href="${historyPath(name, path)}">${plainPath(path, 60)}</a><br><span class="dim">${plainText(model, 60)}, ${plainText(gpu.name, 40)}</span>`,
    current.fits
      ? html`<span class="figure">${Math.round(idlePercent(gpu, current))} %</span> (<span class="figure">${formatGib(idleBytes(gpu, current))}</span>)`
      : 'does not fit',
    memoryChip(record),
    `${formatCount(current.microBatch)}${change}`,
    current.fits
      ? html`${speedupRange ? formatRatioRange(speedupRange) : formatRatio(speedup)} ${chip(record.throughputProvenance)}`
      : '–',
    yearlySavings(record),
    html`<span class="${verdict.state === 'blocked' ? 'bad' : ''}">${verdict.state}</span><br><span class="dim">${verdictText(verdict)}</span>`,
  ]
}

function ledgerCard(name: RepositoryName, { items, next }: Page<LedgerEntry>): Html {
  return html`<section class="card" aria-labelledby="ledger-title"><h2 id="ledger-title">Savings ledger</h2>
${
  items.length === 0
    ? html`<p>No merged pull request has changed what a config wastes.</p>`
    : dataTable(
        'Savings ledger',
        ['Pull request', 'Config', 'What happened', 'A year', 'Provenance', 'When'],
        items.map(entry => ledgerRow(name, entry)),
      )
}
${nextLink(next && `${repositoryPath(name)}?ledger=${encodeURIComponent(next)}`)}
</section>`
}

function ledgerRow(name: RepositoryName, entry: LedgerEntry) {
  const [what, usd] = whatHappened(entry)
  return [
    `#${entry.pullRequest}`,
    html`<a href="${historyPath(name, entry.path)}">${plainPath(entry.path, 60)}</a>`,
    what,
    usd,
    chip(entry.provenance),
    moment(entry.at),
  ]
}

function whatHappened(entry: LedgerEntry): [what: string, usdAYear: string] {
  switch (entry.kind) {
    case 'saved':
      return [
        `saved: micro-batch ${formatCount(entry.fromBatch)} → ${formatCount(entry.toBatch)}`,
        `${formatYearlyUsd(entry.savedPerYearUsd)} saved`,
      ]
    case 'accepted':
      return [`accepted: ${plainText(entry.reason, 200)}`, `${formatYearlyUsd(entry.forgonePerYearUsd)} forgone`]
  }
}

function decisionsCard(name: RepositoryName, { items, next }: Page<Decision>): Html {
  return html`<section class="card" aria-labelledby="decisions-title"><h2 id="decisions-title">Pull requests blocked and accepted</h2>
${
  items.length === 0
    ? html`<p>No pull request has been blocked.</p>`
    : dataTable(
        'Pull requests blocked and accepted',
        ['Pull request', 'Decision', 'Why', 'When'],
        items.map(decisionRow),
      )
}
${nextLink(next && `${repositoryPath(name)}?decisions=${encodeURIComponent(next)}`)}
</section>`
}

function decisionRow(decision: Decision) {
  const configs = decision.configs.map(
    ({ path, verdict }) => html`<li>${plainPath(path, 60)}: ${verdictText(verdict)}</li>`,
  )
  return [
    html`#${decision.pullRequest} ${plainText(decision.title, 120)}<br><span class="dim">by ${plainText(decision.author, 60)}</span>`,
    decision.kind === 'blocked'
      ? html`<span class="bad">blocked</span>`
      : html`accepted by ${plainText(decision.acceptedBy, 60)}`,
    html`${decision.kind === 'accepted' ? html`<p>${plainText(decision.reason, 300)}</p>` : ''}<ul>${configs}</ul>`,
    moment(decision.at),
  ]
}
