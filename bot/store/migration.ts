/** A change of the database that is made once. */
export interface Migration {
  /** Never changed once released: the database records applied migrations by this name. */
  readonly name: string
  /** One statement each. */
  readonly statements: readonly string[]
}
