/** The page's script: hands what the form says to the engine, shows the answer, and keeps the question in the address. */
import 'uplot/dist/uPlot.min.css'
import '../../engine/server/dashboard/client/dashboard.css'
import { enhance } from '../../engine/server/dashboard/client/enhance.ts'
import { Engine } from '../engine.ts'
import { fragmentOf, readFragment } from '../permalink.ts'
import type { Answered } from '../protocol.ts'
import { example, type Question } from '../question.ts'
import { fillForm, questionIn } from './fields.ts'
import { offerFiles } from './files.ts'
import { showProblem, View } from './view.ts'

/** Real configs take tens of milliseconds. */
const LIMIT_MILLIS = 10_000

const place = required<HTMLElement>('[data-ask]')
const form = required<HTMLFormElement>('[data-ask] form')
const view = new View(required('[data-answer]'), required('[data-status]'), form)
const engine = new Engine(({ onAnswered, onBroken }) => {
  const worker = new Worker(new URL(place.dataset.worker ?? '', location.href), { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<Answered>) => onAnswered(data)
  worker.onerror = ({ message }) => onBroken(message)
  return worker
}, LIMIT_MILLIS)

/** As JSON, of the last question that was asked: a change that changes nothing asks nothing. */
let asked = ''
/** The page's own link, so that a change of it by us is not taken for one by the reader. */
let ownFragment = location.hash

async function ask(question: Question, isAwaited: boolean): Promise<void> {
  const text = JSON.stringify(question)
  if (text === asked && !isAwaited) return
  asked = text
  view.working()
  const [outcome] = await Promise.all([engine.ask(question), keepInAddress(question)])
  view.show(outcome, isAwaited)
}

async function keepInAddress(question: Question): Promise<void> {
  const fragment = await fragmentOf(question)
  if (JSON.stringify(question) !== asked) return
  ownFragment = fragment ?? ''
  history.replaceState(null, '', ownFragment || location.pathname)
}

async function askFromAddress(): Promise<void> {
  const reading = await readFragment(location.hash)
  const question = reading.kind === 'question' ? reading.question : example
  fillForm(form, question.values)
  view.terms = question.terms
  if (reading.kind === 'refused') {
    asked = ''
    view.show({ kind: 'refused', html: showProblem(reading.problem), inputs: [] }, true)
    return
  }
  await ask(question, false)
}

form.addEventListener('submit', event => {
  event.preventDefault()
  void ask(questionIn(form, view.terms), true)
})
form.addEventListener('change', () => void ask(questionIn(form, view.terms), false))
view.onTerms = isAwaited => void ask(questionIn(form, view.terms), isAwaited)
offerFiles(form, {
  onText: () => void ask(questionIn(form, view.terms), true),
  onProblem: problem => view.show({ kind: 'refused', html: showProblem(problem), inputs: [] }, true),
})
addEventListener('hashchange', () => {
  if (location.hash !== ownFragment) void askFromAddress()
})

enhance(document.body)
await askFromAddress()
// Only then, so that it takes nothing from the first answer.
if ('serviceWorker' in navigator) {
  // Where the browser forbids it, as in a private window, the page works while it has a network.
  navigator.serviceWorker.register(place.dataset.serviceWorker ?? '').catch(() => undefined)
}

function required<T extends Element>(selector: string): T {
  const found = document.querySelector<T>(selector)
  if (found === null) throw new Error(`the page has no ${selector}`)
  return found
}
