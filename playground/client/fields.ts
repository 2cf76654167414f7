/** The form's fields, read and filled in. */
import { type FormValues, fieldNames, formValues } from '../../server/dashboard/form-fields.ts'
import type { Question } from '../question.ts'

export function questionIn(form: HTMLFormElement, terms: Question['terms']): Question {
  return { values: formValues(Object.fromEntries(new FormData(form))), terms }
}

/** Fields that `values` does not name are emptied. */
export function fillForm(form: HTMLFormElement, values: FormValues): void {
  for (const name of fieldNames) {
    const field = form.elements.namedItem(name)
    if (field instanceof RadioNodeList) field.value = values[name] ?? 'config'
    else if (isValued(field)) field.value = values[name] ?? ''
  }
  const more = form.querySelector('details')
  const folded = Array.from(more?.querySelectorAll('input, select') ?? []).filter(isValued)
  if (more !== null && folded.some(({ value }) => value !== '')) more.open = true
}

/** Ids that the field of the model offers as one types. */
export function offerModels(form: HTMLFormElement, ids: readonly string[]): void {
  const options = ids.map(id => Object.assign(document.createElement('option'), { value: id }))
  form.querySelector('datalist')?.replaceChildren(...options)
}

type Valued = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function isValued(field: unknown): field is Valued {
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement
}
