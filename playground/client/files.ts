/** A file that is chosen or dropped becomes the config of the form. */
import type { Problem } from '../../engine/base/errors.ts'

export interface FileListener {
  readonly onText: () => void
  readonly onProblem: (problem: Problem) => void
}

/** As the form's own limit, were every character one byte; what has more is refused before it is read. */
const MAX_BYTES = 100_000

export function offerFiles(form: HTMLFormElement, { onText, onProblem }: FileListener): void {
  const take = async (file: File) => {
    if (file.size > MAX_BYTES) return onProblem(tooLarge(file))
    const text = await file.text().catch(() => undefined)
    if (text === undefined) return onProblem(unreadable(file))
    write(form, 'config', text)
    write(form, 'fileName', file.name)
    choose(form)
    onText()
  }
  const chooser = document.querySelector<HTMLInputElement>('#file')
  chooser?.addEventListener('change', () => {
    const file = chooser.files?.[0]
    // So that the same file, changed, can be chosen again.
    if (file !== undefined)
      void take(file).finally(() => {
        chooser.value = ''
      })
  })
  document.addEventListener('dragover', event => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  document.addEventListener('drop', event => {
    const file = event.dataTransfer?.files[0]
    if (file === undefined) return
    event.preventDefault()
    void take(file)
  })
}

function write(form: HTMLFormElement, name: string, value: string): void {
  const field = form.elements.namedItem(name)
  if (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) field.value = value
}

function choose(form: HTMLFormElement): void {
  const source = form.elements.namedItem('source')
  if (source instanceof RadioNodeList) source.value = 'config'
}

function tooLarge({ name, size }: File): Problem {
  return {
    code: 'file-too-large',
    message: `${name} has ${size} bytes, and this page reads at most ${MAX_BYTES}`,
    fix: 'Drop the config or the script that sets the batch size, or run memorymark check on the file.',
  }
}

function unreadable({ name }: File): Problem {
  return { code: 'file-unreadable', message: `${name} cannot be read`, fix: 'Paste its text instead.' }
}
