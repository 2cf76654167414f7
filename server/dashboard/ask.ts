/** `/`: the form, and errors of its submission. */

import type { Hono } from 'hono'
import { html } from 'hono/html'
import { formatGib } from '../../engine/base/units.ts'
import { modelIds } from '../../engine/models/catalogue.ts'
import type { Machine } from '../../engine/probes/device.ts'
import { plainText } from '../../engine/render/plain.ts'
import type { AnalysisRequest } from '../analysis.ts'
import type { PagesContext } from '../pages.ts'
import { ANALYSES_PATH, analyseForm, type FormState, type Offer } from './analyse-form.ts'
import { analysisPath } from './analysis-view.ts'
import { AGAIN_FIELD, readAgain, readForm } from './form.ts'
import { formValues } from './form-fields.ts'
import { legend } from './legend.ts'
import { MACHINE_PATH, machineCard } from './machine-card.ts'
import { problemNotice } from './notice.ts'
import { type Html, type MaybeHtml, page } from './page.ts'
import type { Site } from './site.ts'

const untouched: FormState = { values: {}, problems: [] }

export function addAskPage(app: Hono, { assets, context }: Site): void {
  const machine = new MachineWatch(context.machine)
  const view = (form: FormState, notice: MaybeHtml = '') =>
    page(assets, { title: 'Analyse', section: 'analyse' }, askView(form, { context, machine: machine.known, notice }))

  app.get('/', c => {
    machine.findOut()
    return c.html(view(untouched), 200, { 'Cache-Control': 'no-store' })
  })

  app.get(MACHINE_PATH, async c => c.html(machineCard(await context.machine(), context.engine)))

  app.post(ANALYSES_PATH, async c => {
    const body = await c.req.parseBody()
    const values = formValues(body)
    const reading = readQuestion(body[AGAIN_FIELD]) ?? readForm(values)
    if (reading.kind === 'refused') {
      const { problems } = reading
      return c.html(view({ values, problems }, problemNotice('Please correct the form', problems)), 400)
    }
    const submission = context.analyses.submit(reading.request)
    switch (submission.kind) {
      case 'accepted':
        return c.redirect(analysisPath(submission.analysis.id), 303)
      case 'refused':
        return c.html(
          view({ values, problems: [] }, problemNotice('The server refused this request', [submission.problem])),
          400,
        )
      case 'queue-full': {
        const seconds = submission.retryAfterSeconds
        const notice = problemNotice('The server is busy', [queueFull(seconds)])
        return c.html(view({ values, problems: [] }, notice), 429, { 'Retry-After': String(seconds) })
      }
    }
  })
}

function readQuestion(text: unknown): { readonly kind: 'request'; readonly request: AnalysisRequest } | undefined {
  const request = typeof text === 'string' ? readAgain(text) : undefined
  return request && { kind: 'request', request }
}

function queueFull(retryAfterSeconds: number) {
  return {
    code: 'queue-full',
    message: 'The queue is full: one sweep runs at a time',
    fix: `Try again in ${retryAfterSeconds} s.`,
  }
}

/** Describing the machine takes seconds if Python has PyTorch, so no page waits for it. */
class MachineWatch {
  readonly #ask: () => Promise<Machine>
  known: Machine | undefined

  constructor(ask: () => Promise<Machine>) {
    this.#ask = ask
  }

  findOut(): void {
    if (this.known !== undefined) return
    const note = (machine: Machine) => {
      this.known = machine
    }
    // The fragment requested by the page's script reports why it failed.
    this.#ask().then(note, () => undefined)
  }
}

interface AskOptions {
  readonly context: PagesContext
  readonly machine: Machine | undefined
  readonly notice: MaybeHtml
}

function askView(form: FormState, { context, machine, notice }: AskOptions): Html {
  const offer: Offer = {
    action: ANALYSES_PATH,
    ownGpu: ownGpu(machine, context),
    engine: context.engine,
    offeredModels: modelIds,
    otherModels: 'Others work if the server can look them up on the Hugging Face Hub.',
  }
  return html`${notice}
<div class="hero"><h1 tabindex="-1">What batch size can your GPU really take?</h1>
<p>Choose a model or paste a training config. You get the batch to use, how much of the GPU the current one leaves idle, and what that costs.</p></div>
<div class="ask-columns">${analyseForm(form, offer)}<div>${machineCard(machine, context.engine)}${legend}</div></div>`
}

/** The GPU if none is chosen. */
function ownGpu(machine: Machine | undefined, { gpu, engine }: PagesContext): string {
  if (engine === 'estimate' || engine === 'trace') return gpu.name
  if (machine === undefined) return `this machine's GPU, or else ${gpu.name}`
  if (machine.kind === 'python' && 'totalBytes' in machine.device) {
    return `this machine's ${plainText(machine.device.name, 60)}, ${formatGib(machine.device.totalBytes)}`
  }
  return `${gpu.name} (this machine has no GPU)`
}
