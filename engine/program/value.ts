/** An op's result, identified by a number. */
export class Value {
  readonly id: number

  constructor(id: number) {
    this.id = id
  }
}
