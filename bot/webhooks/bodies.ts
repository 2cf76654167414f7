/**
 * Reads request bodies, which anybody can send before we know who they are, within one memory limit for all of them.
 * When memory runs out, the largest unfinished body is dropped. Refusing the newest instead would let a few dozen slow
 * clients lock everybody out; webhooks are far too small to fill the limit.
 */
import type { IncomingMessage } from 'node:http'

export interface BodyLimits {
  readonly maxBytes: number
  /** For all bodies in memory. */
  readonly maxTotalBytes: number
}

export type BodyReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** Dropped to make room for others. */
  | { readonly kind: 'no-room' }

export class Bodies {
  readonly #limits: BodyLimits
  /** The oldest first. */
  readonly #open = new Set<Body>()

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /** The body counts towards the limit until `use` has settled. Rejects if the sender closes the connection. */
  async read<T>(request: IncomingMessage, use: (reading: BodyReading) => Promise<T>): Promise<T> {
    const { maxBytes } = this.#limits
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return use({ kind: 'too-large' })
    const body = new Body(request, maxBytes, () => this.#makeRoom())
    this.#open.add(body)
    try {
      return await use(await body.reading)
    } finally {
      this.#open.delete(body)
    }
  }

  #makeRoom(): void {
    const bodies = [...this.#open]
    const bytes = bodies.reduce((sum, body) => sum + body.bytes, 0)
    if (bytes <= this.#limits.maxTotalBytes) return
    const arriving = bodies.filter(({ isArriving }) => isArriving)
    arriving.reduce((largest, body) => (body.bytes > largest.bytes ? body : largest)).giveUp()
  }
}

class Body {
  readonly reading: Promise<BodyReading>
  readonly #settle: PromiseWithResolvers<BodyReading>
  readonly #request: IncomingMessage
  /**
   * One buffer instead of a list of chunks, which would take a hundred bytes for each. Transferring it frees its memory
   * at once, without waiting for garbage collection.
   */
  #buffer = new ArrayBuffer(0)
  bytes = 0
  isArriving = true

  constructor(request: IncomingMessage, maxBytes: number, onGrown: () => void) {
    this.#settle = Promise.withResolvers()
    this.reading = this.#settle.promise
    this.#request = request
    const end = (reading: BodyReading) => this.#end(reading)
    request.on('data', (chunk: Buffer) => {
      if (!this.isArriving) return
      if (this.bytes + chunk.length > maxBytes) return end({ kind: 'too-large' })
      this.#append(chunk)
      onGrown()
    })
    request.once('end', () => end({ kind: 'text', text: Buffer.from(this.#buffer, 0, this.bytes).toString('utf8') }))
    request.once('error', error => this.#settle.reject(error))
    request.once('close', () => this.#settle.reject(new Error('the sender is gone')))
  }

  giveUp(): void {
    this.#end({ kind: 'no-room' })
  }

  #append(chunk: Buffer): void {
    const { byteLength } = this.#buffer
    const needed = this.bytes + chunk.length
    if (needed > byteLength) this.#buffer = this.#buffer.transfer(Math.max(2 * byteLength, needed))
    new Uint8Array(this.#buffer).set(chunk, this.bytes)
    this.bytes += chunk.length
  }

  #end(reading: BodyReading): void {
    this.isArriving = false
    this.#settle.resolve(reading)
    this.#buffer = this.#buffer.transfer(0)
    if (reading.kind === 'text') return
    this.bytes = 0
    // Reading the rest only to drop it would take time and memory; the connection is closed after the response.
    this.#request.pause()
  }
}
