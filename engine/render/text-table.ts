/** A table in plain text, as wide as its cells: two spaces between columns, nothing at the ends of lines. */

/** A line for each row; the first is the header. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map(row => line(row).trimEnd())
}

/** The table if it fits in `columns`; else each row as a block, one line for each cell with its header. */
export function tableWithin(columns: number, rows: readonly (readonly string[])[]): string[] {
  const lines = textTable(rows)
  if (lines.every(line => line.length <= columns)) return lines
  const [header = [], ...others] = rows
  return others.flatMap(([name = '', ...cells]) => [
    name,
    ...textTable(cells.map((cell, index) => [`  ${header[index + 1] ?? ''}`, cell])),
  ])
}
