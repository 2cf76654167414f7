/** A size marked on a chart, sent to the page's script. */
export interface ChartMark {
  readonly x: number
  readonly name: string
  readonly kind: 'now' | 'recommended'
}
