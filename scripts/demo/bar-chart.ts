/** Draws the one kind of Mermaid chart that comments have, bars and a line, as GitHub would: an SVG with its texts. */

const WIDTH = 700
const HEIGHT = 300
const LEFT = 76
const [TOP, BOTTOM] = [32, 260]

/** `code`: of a Mermaid block, with its HTML escaped. Undefined for any other chart. */
export function barChart(code: string): string | undefined {
  const field = (pattern: RegExp) => pattern.exec(code)?.[1]
  const numbers = (pattern: RegExp) => field(pattern)?.split(',').map(Number)
  const [sizes, bars, line] = [/x-axis .*\[(.+)\]/, /bar \[(.+)\]/, /line \[(.+)\]/].map(numbers)
  const [title, unit, top] = [/title &quot;(.+)&quot;/, /y-axis &quot;(\w+)&quot;/, /--&gt; ([\d.]+)/].map(field)
  if (sizes === undefined || bars === undefined || line?.[0] === undefined || !(Number(top) > 0)) return undefined
  const step = (WIDTH - LEFT) / sizes.length
  const y = (value: number) => (BOTTOM - ((BOTTOM - TOP) * value) / Number(top)).toFixed(1)
  const columns = sizes.map((size, index) => {
    const [x, height] = [LEFT + index * step, BOTTOM - Number(y(bars[index] ?? 0))]
    return `<rect x="${(x + step / 8).toFixed(1)}" y="${y(bars[index] ?? 0)}" width="${((step * 3) / 4).toFixed(1)}" height="${height.toFixed(1)}"/><text x="${(x + step / 2).toFixed(1)}" y="${BOTTOM + 18}">${size}</text>`
  })
  return `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<text x="${WIDTH / 2}" y="16">${title}</text>${columns.join('')}
<path d="M${LEFT} ${y(line[0])}H${WIDTH}"/><text x="${LEFT / 2}" y="${y(line[0])}">${line[0]} ${unit}</text><text x="${WIDTH / 2}" y="${BOTTOM + 36}">micro-batch</text></svg>`
}
