/**
 * In the place of ms-swift/read.ts, nemo-rl/read.ts and verl/read.ts of engine/config/dialects, with which it shares its functions: few
 * configs are of these tools, and what reads them is loaded when one is.
 */
import type { readMsSwift as MsSwift } from '../engine/config/dialects/ms-swift/read.ts'
import type { readNemoRl as NemoRl } from '../engine/config/dialects/nemo-rl/read.ts'
import type { readVerl as Verl } from '../engine/config/dialects/verl/read.ts'

interface Readers {
  readonly readMsSwift: typeof MsSwift
  readonly readNemoRl: typeof NemoRl
  readonly readVerl: typeof Verl
}

let readers: Readers | undefined

/** The catcher loads late-readers.ts, calls `provideReaders` and tries again. */
export class ReadersNotLoaded extends Error {}

export function provideReaders(loaded: Readers): void {
  readers = loaded
}

/** @throws ReadersNotLoaded */
export const readMsSwift: typeof MsSwift = (...asked) => loadedReaders().readMsSwift(...asked)

/** @throws ReadersNotLoaded */
export const readNemoRl: typeof NemoRl = (...asked) => loadedReaders().readNemoRl(...asked)

/** @throws ReadersNotLoaded */
export const readVerl: typeof Verl = (...asked) => loadedReaders().readVerl(...asked)

function loadedReaders(): Readers {
  if (readers === undefined) throw new ReadersNotLoaded()
  return readers
}
