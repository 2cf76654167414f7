/** The page's script: hands what the form says to the engine, shows the answer, and keeps the question in the address. */
import 'uplot/dist/uPlot.min.css'
import '../../server/dashboard/client/dashboard.css'
import { enhance } from '../../server/dashboard/client/enhance.ts'
import { Engine } from '../engine.ts'
import { fragmentOf, readFragment } from '../permalink.ts'
import type { Answered, FoundLevers, Offered } from '../protocol.ts'
import { example, type Question } from '../question.ts'
import { fillForm, offerModels, questionIn } from './fields.ts'
import { offerFiles } from './files.ts'
import { nextWorker } from './first-worker.ts'
import { View } from './view.ts'

/** Real configs take tens of milliseconds. */
const LIMIT_MILLIS = 10_000

const place = required<HTMLElement>('[data-ask]')
const form = required<HTMLFormElement>('[data-ask] form')
const view = new View(required('[data-answer]'), required('[data-status]'), form)
const engine = new Engine(({ onAnswered, onLevers, onBroken }) => {
  const { worker, broken } = nextWorker()
  worker.onmessage = ({ data }: MessageEvent<Answered | FoundLevers | Offered>) => {
    if ('models' in data) offerModels(form, data.models)
    else if ('levers' in data) onLevers(data)
    else onAnswered(data)
  }
  void broken.then(onBroken)
  return worker
}, LIMIT_MILLIS)

/** The last question, as JSON. A change that changes nothing asks nothing, nor does a button while the same is being answered. */
let last = { text: '', isAwaited: false, isAnswered: true }
/** The page's own link, so that a change of it by us is not taken for one by the reader. */
let ownFragment = location.hash

/** `isAwaited`: the reader pressed a button, and is led to the answer. */
async function ask(question: Question, isAwaited: boolean): Promise<void> {
  const text = JSON.stringify(question)
  if (text === last.text && !(last.isAnswered && isAwaited)) {
    last.isAwaited ||= isAwaited
    return
  }
  const asked = { text, isAwaited, isAnswered: false }
  last = asked
  view.working()
  const [outcome] = await Promise.all([engine.ask(question), keepInAddress(question)])
  asked.isAnswered = true
  await view.show(outcome, asked.isAwaited)
}

async function keepInAddress(question: Question): Promise<void> {
  const fragment = await fragmentOf(question)
  if (JSON.stringify(question) !== last.text) return
  ownFragment = fragment ?? ''
  history.replaceState(null, '', ownFragment || location.pathname)
}

async function askFromAddress(): Promise<void> {
  const reading = await readFragment(location.hash)
  const question = reading.kind === 'question' ? reading.question : example
  fillForm(form, question.values)
  view.terms = question.terms
  if (reading.kind === 'refused') {
    last = { text: '', isAwaited: false, isAnswered: true }
    return view.showProblem(reading.problem)
  }
  await ask(question, false)
}

form.addEventListener('submit', event => {
  event.preventDefault()
  void ask(questionIn(form, view.terms), true)
})
form.addEventListener('change', ({ target }) => {
  // A price is of the GPU for which it was entered.
  if (target instanceof HTMLSelectElement && target.name === 'gpu') view.forgetPrice()
  void ask(questionIn(form, view.terms), false)
})
view.onTerms = () => void ask(questionIn(form, view.terms), true)
offerFiles(form, {
  onText: () => void ask(questionIn(form, view.terms), true),
  onProblem: problem => void view.showProblem(problem),
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
