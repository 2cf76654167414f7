/** A size that a chart points out; it travels to the page's script. */
export interface ChartMark {
  readonly x: number
  readonly name: string
  readonly kind: 'now' | 'recommended'
}
