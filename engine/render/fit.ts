/** Shortens a document to a size limit without cutting inside a Markdown construct. */

export interface Section {
  /** The same content, from the longest form to the shortest. */
  readonly forms: readonly [string, ...string[]]
  /** Sections with more interest are shortened later. */
  readonly interest: number
}

/** Size in bytes of UTF-8. Platforms count characters, of which there are never more than bytes. */
export function sizeOf(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/**
 * One text for each section, in the given order; `undefined` for a section left out. Shortens in rounds, least
 * interesting section first: every section goes to its next form before any goes further, and none is left out while
 * another can still be shortened.
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
