/** What the doctor says of one thing it looked at. */

export type Finding =
  | { readonly kind: 'well'; readonly what: string }
  /** Worth a thought; everything works. */
  | { readonly kind: 'remark'; readonly what: string; readonly todo: string }
  | { readonly kind: 'fault'; readonly what: string; readonly todo: string }

/** Lines for a terminal; nothing in them is secret. */
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
