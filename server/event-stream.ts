/** The events of an analysis as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { AnalysisEvent } from './analysis.ts'

/** Proxies close a connection that is silent for a minute. */
export const KEEP_ALIVE_MILLIS = 15_000

const encoder = new TextEncoder()
/** A client that lost its connection reconnects after a second, with the id of the last event it received. */
const greeting = encoder.encode('retry: 1000\n\n')
const keepAlive = encoder.encode(': still here\n\n')

/** The text is shared by all readers. */
const encoded = new WeakMap<AnalysisEvent, Uint8Array>()

function asJson(event: AnalysisEvent): Uint8Array {
  const known = encoded.get(event)
  if (known !== undefined) return known
  const bytes = serverSentEvent(event, event.kind, JSON.stringify(event))
  encoded.set(event, bytes)
  return bytes
}

/** `data`: a single line. */
export function serverSentEvent({ sequence }: AnalysisEvent, name: string, data: string): Uint8Array {
  return encoder.encode(`id: ${sequence}\nevent: ${name}\ndata: ${data}\n\n`)
}

/** Reads on demand, so that events for a slow reader stay only in the log. */
export function eventStream(
  events: AsyncIterable<AnalysisEvent>,
  keepAliveMillis: number = KEEP_ALIVE_MILLIS,
  encode: (event: AnalysisEvent) => Uint8Array = asJson,
): ReadableStream<Uint8Array> {
  const iterator = events[Symbol.asyncIterator]()
  let sentSince = false
  let timer: NodeJS.Timeout | undefined
  return new ReadableStream<Uint8Array>({
    start: controller => {
      controller.enqueue(greeting)
      timer = setInterval(() => {
        const isIdle = !sentSince && (controller.desiredSize ?? 0) > 0
        if (isIdle) controller.enqueue(keepAlive)
        sentSince = false
      }, keepAliveMillis)
    },
    pull: async controller => {
      const { done, value } = await iterator.next()
      sentSince = true
      if (!done) return controller.enqueue(encode(value))
      clearInterval(timer)
      controller.close()
    },
    cancel: async () => {
      clearInterval(timer)
      await iterator.return?.()
    },
  })
}
