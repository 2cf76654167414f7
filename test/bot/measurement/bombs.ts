/** Archives that are small to send and huge to read, made without holding what they hold. */
import { once } from 'node:events'
import { crc32, createDeflateRaw } from 'node:zlib'

const PIECE = Buffer.alloc(2 ** 20)

interface Packed {
  readonly data: Buffer
  readonly bytes: number
  readonly checksum: number
}

/** So many MiB of zeros, deflated. */
async function packedZeros(mib: number): Promise<Packed> {
  const deflate = createDeflateRaw({ level: 9 })
  const pieces: Buffer[] = []
  deflate.on('data', piece => pieces.push(piece))
  let checksum = 0
  for (let piece = 0; piece < mib; piece += 1) {
    checksum = crc32(PIECE, checksum)
    if (!deflate.write(PIECE)) await once(deflate, 'drain')
  }
  deflate.end()
  await once(deflate, 'end')
  return { data: Buffer.concat(pieces), bytes: mib * PIECE.byteLength, checksum }
}

export interface Bomb {
  readonly mib: number
  readonly entry: string
  /** What the archive says; the truth unless told. */
  readonly declaredBytes?: number
}

/** One entry, by the layout of APPNOTE 4.3: local header, data, central directory, end of it. */
export async function bomb({ mib, entry, declaredBytes }: Bomb): Promise<Buffer> {
  const { data, bytes, checksum } = await packedZeros(mib)
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
