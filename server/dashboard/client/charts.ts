/** Charts, drawn from the tables beside them. */
import { readChart } from './chart-data.ts'

export function drawCharts(part: HTMLElement): void {
  const places = [...part.querySelectorAll<HTMLElement>('[data-chart]')]
  if (places.length > 0) void draw(places)
}

/** The drawing script is loaded only for a page with charts, and no answer waits for it. */
async function draw(places: readonly HTMLElement[]): Promise<void> {
  const { drawChart } = await import('./draw-chart.ts')
  for (const place of places) {
    const table = document.getElementById(place.dataset.chart ?? '')
    // Another answer may have taken the place of this one since.
    if (place.isConnected && table instanceof HTMLTableElement) drawChart(place, readChart(place, table))
  }
}
