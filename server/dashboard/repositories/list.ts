/** All repositories, those with the greatest yearly waste first. */
import { html } from 'hono/html'
import { formatCount, formatYearlyUsd } from '../../../engine/render/figures.ts'
import type { Page, RepositorySummary } from '../../repositories.ts'
import type { Html } from '../page.ts'
import { dataTable, moment, nextLink } from './data-table.ts'
import { REPOSITORIES_PATH, repositoryPath } from './paths.ts'

export function listView({ items, next }: Page<RepositorySummary>): Html {
  if (items.length === 0) return nothingYet()
  return html`<h1 tabindex="-1">Repositories</h1>
<section class="card" aria-label="Repositories">
${dataTable(
  'Repositories and what their configs could save',
  ['Repository', 'Configs', 'Blocked', 'Could save per year (modelled)', 'As of'],
  items.map(({ owner, repo, configs, blocked, savingsPerYearUsd, updatedAt }) => [
    html`<a href="${repositoryPath({ owner, repo })}">${owner}/${repo}</a>`,
    formatCount(configs),
    blocked === 0 ? 'none' : html`<span class="bad">${formatCount(blocked)} blocked</span>`,
    formatYearlyUsd(savingsPerYearUsd),
    moment(updatedAt),
  ]),
)}
${nextLink(next && `${REPOSITORIES_PATH}?cursor=${encodeURIComponent(next)}`)}
</section>`
}

/** `memorymark serve` knows no repositories: they come with the bot. */
export function emptyView(): Html {
  return html`<section class="card empty"><h1 tabindex="-1">No repositories here</h1>
<p>This server answers questions; it does not watch repositories. The bot does: install it as a GitHub App, and its server shows here which configs waste most, how each developed, what was saved, and which pull requests were blocked or accepted.</p>
<ol>
<li>Create a GitHub App with the permissions and events of <code>bot/app.yml</code>.</li>
<li>Install it on the repositories that hold your training configs.</li>
<li>Start its server with <code>memorymark-bot</code>, and open this page there.</li>
</ol>
<p><a class="button secondary" href="/">Analyse a config now</a></p></section>`
}

function nothingYet(): Html {
  return html`<section class="card empty"><h1 tabindex="-1">Nothing known yet</h1>
<p>The bot is running, but no repository has been looked at. Install the GitHub App on one; its default branch is read first, and every pull request that changes a training config after that.</p></section>`
}

export function unknownView(): Html {
  return html`<section class="card empty"><h1 tabindex="-1">Unknown repository</h1>
<p>The bot has not looked at it, or is not installed there.</p><p><a class="button secondary" href="${REPOSITORIES_PATH}">All repositories</a></p></section>`
}
