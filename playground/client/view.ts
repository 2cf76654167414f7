/** The part of the page below the form: the answer, and what is going on. */

import type { Problem } from '../../engine/errors.ts'
import { enhance } from '../../engine/server/dashboard/client/enhance.ts'
import type { Outcome } from '../engine.ts'
import { type Question, termNames } from '../question.ts'

export class View {
  readonly #answer: HTMLElement
  readonly #status: HTMLElement
  readonly #form: HTMLFormElement
  terms: Question['terms'] = {}
  /** The reader changed what a run costs; `isAwaited` where a button asked for the answer. */
  onTerms: (isAwaited: boolean) => void = () => undefined

  constructor(answer: HTMLElement, status: HTMLElement, form: HTMLFormElement) {
    this.#answer = answer
    this.#status = status
    this.#form = form
  }

  working(): void {
    this.#status.classList.add('working')
    this.#status.textContent = 'Working.'
    this.#answer.ariaBusy = 'true'
  }

  /** `isAwaited`: the reader asked for it, and is led to it. */
  show(outcome: Outcome, isAwaited: boolean): void {
    if (outcome.kind === 'overtaken') return
    this.#answer.ariaBusy = null
    this.#status.classList.remove('working')
    this.#mark(outcome.kind === 'refused' ? outcome.inputs : [])
    switch (outcome.kind) {
      case 'result':
        this.#status.textContent = `Estimated: ${outcome.title}.`
        document.title = `${outcome.title} · MemoryMark`
        this.#replace(outcome.html)
        this.#followTerms()
        break
      case 'refused':
        this.#status.textContent = 'No result.'
        this.#replace(outcome.html)
        break
      case 'timed-out':
        this.#status.textContent = 'No result.'
        this.#replace(showProblem(tooLong(outcome.afterMillis)))
        break
      case 'broken':
        this.#status.textContent = 'No result.'
        this.#replace(showProblem(broken(outcome.why)))
        break
    }
    if (isAwaited) this.#lead()
  }

  #replace(html: string): void {
    const { body } = new DOMParser().parseFromString(html, 'text/html')
    this.#answer.replaceChildren(...body.childNodes)
    enhance(this.#answer)
  }

  #lead(): void {
    const heading = this.#answer.querySelector<HTMLElement>('h2')
    if (heading === null) return
    heading.tabIndex = -1
    heading.focus()
  }

  #mark(inputs: readonly string[]): void {
    for (const field of this.#form.querySelectorAll('[name]')) {
      if (inputs.includes(field.getAttribute('name') ?? '')) field.setAttribute('aria-invalid', 'true')
      else field.removeAttribute('aria-invalid')
    }
  }

  /** The cards follow by themselves while a term is typed; the link and the rest of the answer do when it is done. */
  #followTerms(): void {
    const form = this.#answer.querySelector<HTMLFormElement>('form.terms')
    form?.addEventListener('submit', event => {
      event.preventDefault()
      this.#readTerms(form)
      this.onTerms(true)
    })
  }

  #readTerms(form: HTMLFormElement): void {
    const typed = new FormData(form)
    const told = termNames.flatMap(name => {
      const value = typed.get(name)
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : []
    })
    this.terms = Object.fromEntries(told)
  }
}

function tooLong(afterMillis: number): Problem {
  return {
    code: 'timed-out',
    message: `the engine took longer than ${afterMillis / 1_000} s for this and was ended; it starts anew with your next question`,
    fix: 'Shorten the config to what sets up the training, or run memorymark check, which has no such limit.',
  }
}

function broken(why: string): Problem {
  return {
    code: 'engine-broken',
    message: `the engine broke off: ${why}`,
    fix: 'Reload the page. If it happens again, please report it, with the link in the address bar.',
  }
}

/** As `problemNotice` draws it. */
export function showProblem({ message, fix }: Problem): string {
  const notice = document.createElement('section')
  notice.className = 'notice'
  notice.role = 'alert'
  notice.setAttribute('aria-labelledby', 'notice-title')
  notice.dataset.dismissible = ''
  const title = document.createElement('h2')
  title.id = 'notice-title'
  title.textContent = 'No result'
  const text = document.createElement('p')
  text.textContent = `${message}. ${fix}`
  notice.append(title, text)
  return notice.outerHTML
}
