/** One finding of `memorymark-bot doctor`. */

export type Finding =
  | { readonly kind: 'well'; readonly what: string }
  /** Everything works, but something is worth a change. */
  | { readonly kind: 'remark'; readonly what: string; readonly todo: string }
  | { readonly kind: 'fault'; readonly what: string; readonly todo: string }

/** Lines for a terminal, without secrets. */
export function describeFinding(finding: Finding): string {
  switch (finding.kind) {
    case 'well':
      return `ok      ${finding.what}`
    case 'remark':
      return `remark  ${finding.what}\n        ${finding.todo}`
    case 'fault':
      return `fault   ${finding.what}\n        ${finding.todo}`
  }
}
