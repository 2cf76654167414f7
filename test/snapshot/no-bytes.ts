/** A peak of no kind of memory, to be filled in. */
import { type ByteKind, byteKinds } from '../../engine/estimate/tape/storage.ts'

export const noBytes = Object.fromEntries(byteKinds.map(kind => [kind, 0])) as Readonly<Record<ByteKind, number>>
