/** The page itself, as the build writes it: the dashboard's form, with the engine in the browser behind it. */
import { html } from 'hono/html'
import { version } from '../engine/base/version.ts'
import { defaultGpu, gpus } from '../engine/gpus/catalogue.ts'
import { analyseForm } from '../server/dashboard/analyse-form.ts'
import { legend } from '../server/dashboard/legend.ts'
import { documentOf } from '../server/dashboard/page.ts'
import { example } from './question.ts'

/** Addresses, relative to the page. */
export interface PageFiles {
  readonly script: string
  /** Starts the worker. */
  readonly starter: string
  readonly styles: string
  readonly icon: string
  readonly worker: string
  readonly serviceWorker: string
  readonly licenses: string
  readonly manual: string
  /** What the scripts and the worker load first. */
  readonly preloaded: readonly string[]
}

/** Only files of this page are loaded, and nothing is sent anywhere: `connect-src` and `form-action` are nobody. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

export async function playgroundPage(files: PageFiles): Promise<string> {
  const offer = {
    action: '',
    ownGpu: `not chosen: answered for an ${defaultGpu.name}`,
    engine: 'estimate' as const,
    // The engine says them (`Offered`): they are in its own file already.
    offeredModels: [],
    otherModels: 'The command line and the Action look others up on the Hugging Face Hub.',
  }
  const document = documentOf({
    title: 'Playground',
    head: html`<meta name="description" content="${description}">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<link rel="icon" type="image/svg+xml" href="${files.icon}">
<link rel="stylesheet" href="${files.styles}">
<link rel="modulepreload" href="${files.worker}" data-worker>
<script type="module" async fetchpriority="high" src="${files.starter}"></script>
${files.preloaded.map(file => html`<link rel="modulepreload" href="${file}">`)}
<script type="module" src="${files.script}"></script>`,
    home: './',
    navigation: html`<nav aria-label="Pages"><a href="./" aria-current="page">Playground</a><a href="${files.manual}">Manual</a></nav>`,
    main: html`<div class="hero"><h1 tabindex="-1">What batch size can your GPU really take?</h1>
<p>Paste a training config or a script, or drop the file here, and choose a GPU: ${gpus.length} are known. The engine of MemoryMark runs in this page; nothing that you enter leaves it. Memory is estimated, speed and cost are modelled, each with the band in which the truth may lie.</p></div>
<noscript><p class="notice">The engine is JavaScript: without it, this page cannot answer.</p></noscript>
<div class="ask-columns"><div data-ask data-service-worker="${files.serviceWorker}">${analyseForm({ values: example.values, problems: [] }, offer)}</div><div><section class="card" aria-labelledby="file-title"><h2 id="file-title">From a file</h2>
<div class="field"><label for="file">YAML, JSON, Python, notebook or launch script</label><input id="file" type="file" accept=".yaml,.yml,.json,.py,.ipynb,.sh,.bash,.slurm,.sbatch"></div>
<p class="hint">The link in the address bar holds all that you entered, behind the #, which browsers send to no server: whoever opens it sees the same.</p></section></div></div>
<p class="working" role="status" data-status>Starting the engine.</p>
<div data-answer></div>
${legend}`,
    footer: html`MemoryMark ${version}. <a href="${files.licenses}">Licences</a> of what this page is built from.`,
  })
  return `${String(await document)}\n`
}

const description =
  'Memory by kind, the largest and the recommended batch size, throughput and cost of a training config on a GPU, estimated in your browser.'
