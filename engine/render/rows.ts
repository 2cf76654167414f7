/** Sections made of rows, which are shortened when space is short and say how many rows are left out. */
import { formatCount } from './figures.ts'
import type { Section } from './fit.ts'
import { separator } from './sections.ts'

/** Rows of a table or list, from its fullest form to its tersest. */
export const ROWS = [200, 50, 15, 5] as const

/** A section whose rows are counted where they are left out. */
export function shortening<T>(
  rows: readonly T[],
  interest: number,
  render: (rows: readonly T[]) => readonly string[],
): Section {
  const form = (limit: number) => {
    const rest = rows.length - limit
    const counted = rest > 0 ? [`…and ${formatCount(rest)} more.`] : []
    return [...render(rows.slice(0, limit)), ...counted].join(separator)
  }
  const [most, ...fewer] = ROWS
  return { forms: [form(most), ...fewer.filter(limit => limit < rows.length).map(form)], interest }
}
