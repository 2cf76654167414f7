/** The part of the page below the form: the answer, and what is going on. */

import type { Problem } from '../../engine/base/errors.ts'
import { enhance } from '../../server/dashboard/client/enhance.ts'
import { problemNotice } from '../../server/dashboard/notice.ts'
import type { LeversOutcome, Outcome } from '../engine.ts'
import { type Question, termNames } from '../question.ts'

export class View {
  readonly #answer: HTMLElement
  readonly #status: HTMLElement
  readonly #form: HTMLFormElement
  terms: Question['terms'] = {}
  /** The reader asks on other terms. */
  onTerms: () => void = () => undefined

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
  async show(outcome: Outcome, isAwaited: boolean): Promise<void> {
    if (outcome.kind === 'overtaken') return
    this.#settle(outcome.kind === 'refused' ? outcome.inputs : [])
    switch (outcome.kind) {
      case 'result':
        this.#status.textContent = `Estimated: ${outcome.title}.`
        document.title = `${outcome.title} · MemoryMark`
        this.#replace(outcome.html)
        this.#followTerms()
        void outcome.levers?.then(levers => this.#showLevers(levers))
        break
      case 'refused':
        this.#status.textContent = 'No result.'
        this.#replace(outcome.html)
        break
      case 'timed-out':
        this.#status.textContent = 'No result.'
        await this.#replaceBy(tooLong(outcome.afterMillis))
        break
      case 'broken':
        this.#status.textContent = 'No result.'
        await this.#replaceBy(broken(outcome.why))
        break
    }
    if (isAwaited) this.#lead()
  }

  /** What the page itself has to say, instead of an answer. */
  async showProblem(problem: Problem): Promise<void> {
    this.#settle([])
    this.#status.textContent = 'No result.'
    await this.#replaceBy(problem)
    this.#lead()
  }

  #settle(wrong: readonly string[]): void {
    this.#answer.ariaBusy = null
    this.#status.classList.remove('working')
    this.#mark(wrong)
  }

  /** Nothing, where another answer has taken the place of theirs. */
  #showLevers(outcome: LeversOutcome): void {
    const place = this.#answer.querySelector<HTMLElement>('[data-levers]')
    if (place === null || outcome.kind === 'overtaken') return
    if (outcome.kind === 'found') {
      place.replaceWith(...nodesOf(outcome.html))
      return
    }
    place.classList.remove('working')
    const why = outcome.kind === 'broken' ? outcome.why : `it took longer than ${outcome.afterMillis / 1_000} s`
    place.textContent = `Ways to free memory were not found: ${why}. memorymark advise lists them.`
  }

  async #replaceBy(problem: Problem): Promise<void> {
    this.#replace(String(await problemNotice('No result', [problem])))
  }

  #replace(html: string): void {
    this.#answer.replaceChildren(...nodesOf(html))
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
      this.onTerms()
    })
  }

  /** What the reader left as the answer had it is not told: the catalogue's price may change, a link stays. */
  #readTerms(form: HTMLFormElement): void {
    const told = termNames.flatMap(name => {
      const field = form.elements.namedItem(name)
      const isChanged = field instanceof HTMLInputElement && field.value !== field.defaultValue
      const value = isChanged ? field.value : this.terms[name]
      return value === undefined || value === '' ? [] : [[name, value] as const]
    })
    this.terms = Object.fromEntries(told)
  }

  forgetPrice(): void {
    const { price: _, ...others } = this.terms
    this.terms = others
  }
}

function nodesOf(html: string): readonly ChildNode[] {
  return [...new DOMParser().parseFromString(html, 'text/html').body.childNodes]
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
