/** Fitting a document into a limit without ever cutting inside a construct. */

export interface Section {
  /** The same content from its fullest form to its tersest. */
  readonly forms: readonly [string, ...string[]]
  /** More is kept longer. */
  readonly interest: number
}

/** Platforms count characters; bytes are never fewer, so a text that fits in bytes fits however it is counted. */
export function sizeOf(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/**
 * One text for each section, in the order given, `undefined` for one left out. Shortens in steps, least interesting first:
 * every section loses its first form before any loses its second, and none is left out while another can be shortened.
 */
export function fitSections(sections: readonly Section[], budgetBytes: number): (string | undefined)[] {
  const texts: (string | undefined)[] = sections.map(section => section.forms[0])
  let total = texts.reduce((sum, text) => sum + sizeOf(text ?? ''), 0)
  for (const { index, form } of shorteningSteps(sections)) {
    if (total <= budgetBytes) break
    total += sizeOf(form ?? '') - sizeOf(texts[index] ?? '')
    texts[index] = form
  }
  return texts
}

function* shorteningSteps(sections: readonly Section[]): Generator<{ index: number; form: string | undefined }> {
  const leastFirst = sections.map((section, index) => ({ ...section, index })).sort((a, b) => a.interest - b.interest)
  const mostForms = Math.max(0, ...sections.map(({ forms }) => forms.length))
  for (let step = 1; step < mostForms; step++) {
    for (const { index, forms } of leastFirst) {
      if (step < forms.length) yield { index, form: forms[step] }
    }
  }
  for (const { index } of leastFirst) yield { index, form: undefined }
}
