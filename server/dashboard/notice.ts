/** Messages above the content: what went wrong and what to do. The reader can dismiss them. */
import { html } from 'hono/html'
import type { Problem } from '../../engine/base/errors.ts'
import { plainProblem } from '../../engine/render/plain.ts'
import type { Html } from './page.ts'

/** Without JavaScript it stays; nothing else depends on it. */
export function problemNotice(title: string, problems: readonly Problem[]): Html {
  return html`<section class="notice" role="alert" aria-labelledby="notice-title" data-dismissible>
<h2 id="notice-title">${title}</h2>
<ul>${problems.map(problem => html`<li>${plainProblem(problem)}</li>`)}</ul>
</section>`
}
