/**
 * The thread that runs analyses, so that a heavy one never holds the server: a model's config.json from the Hub may describe
 * anything, and our model of it is computed here. Started by `AnalysisThread`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { defaultGpu, gpus } from '../gpus/catalogue.ts'
import { createHub, hubSettings } from '../models/hub.ts'
import { cacheFolder, folderCache } from '../models/hub-cache.ts'
import { runAnalysis } from './run-analysis.ts'
import type { ModelPlaces } from './subject.ts'
import type { Message, Order, ThreadSettings } from './thread-protocol.ts'

if (parentPort === null) throw new Error('this file is the start of a thread')
const port = parentPort
const settings: ThreadSettings = workerData
let running = new AbortController()

port.on('message', (order: Order) => {
  switch (order.kind) {
    case 'run':
      running = new AbortController()
      void run(order, running.signal)
      return
    case 'cancel':
      running.abort()
      return
  }
})

async function run({ request, machine }: Extract<Order, { kind: 'run' }>, signal: AbortSignal): Promise<void> {
  try {
    tell(
      await runAnalysis(request, {
        ...settings,
        gpu: gpus.find(({ id }) => id === settings.gpuId) ?? defaultGpu,
        machine,
        models: modelPlaces(),
        now: () => new Date(),
        signal,
        tell,
        log: text => console.error(text),
      }),
    )
  } catch (error) {
    tell({ kind: 'crashed', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

function tell(message: Message): void {
  port.postMessage(message)
}

/** A Hub remembers every name that it was asked for, so each analysis gets its own; what was found stays on the disk. */
function modelPlaces(): ModelPlaces {
  const hub = settings.asksHub ? hubSettings(process.env) : undefined
  return hub === undefined ? {} : { hub: createHub({ ...hub, cache: folderCache(cacheFolder(process.env)) }) }
}
