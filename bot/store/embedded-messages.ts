/** Messages to the embedded database's thread, and its answers. */

export type Request = { readonly id: number } & (
  | {
      readonly kind: 'query'
      readonly text: string
      readonly values: readonly unknown[]
      /** Undefined outside a transaction. */
      readonly transaction: number | undefined
    }
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'begin' }
  /** `transaction`: the id of the request that began it. */
  | { readonly kind: 'end'; readonly transaction: number; readonly how: 'commit' | 'rollback' }
  | { readonly kind: 'close' }
)

/** The first answer has id 0 and says that the database is open. */
export type Answer = { readonly id: number } & (
  | { readonly kind: 'rows'; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly kind: 'error'; readonly message: string; readonly code?: string }
)
