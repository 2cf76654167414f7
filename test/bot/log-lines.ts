import { Writable } from 'node:stream'

/** A stream for a log, and all that was written to it. */
export function keptLines(): { readonly sink: Writable; readonly text: () => string } {
  const lines: string[] = []
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  return { sink, text: () => lines.join('') }
}
