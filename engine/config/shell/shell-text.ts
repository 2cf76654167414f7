/** A text of shell commands, and where in its file things stand. */
import type { Position } from '../../base/position.ts'
import { firstChange } from './own-folder.ts'

/** A text of shell commands, at the offsets of the file that holds it. */
export class ShellText {
  readonly path: string
  readonly text: string
  readonly #starts: readonly number[]
  #firstChange: number | undefined

  constructor(path: string, text: string) {
    this.path = path
    this.text = text
    this.#starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  }

  positionOf(offset: number): Position {
    let [low, high] = [0, this.#starts.length]
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 }
  }

  /** Where it changes to another folder first; infinite where it does not. */
  get firstChange(): number {
    this.#firstChange ??= firstChange(this.text)
    return this.#firstChange
  }

  lineOf(offset: number): number {
    return this.positionOf(offset).line
  }
}

/** What a variable holds that the file sets elsewhere than in its commands, at an offset in it. */
export interface KnownWord {
  readonly text: string
  readonly from: number
}
