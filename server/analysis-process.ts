/**
 * The limited process of command line, bot and server, in which untrusted configs are computed. Started by a
 * `LimitedProcess`.
 */
import { performTask } from '../engine/isolated/perform.ts'
import type { TaskOrder } from '../engine/isolated/tasks.ts'
import { type Host, takeOrders } from '../engine/isolation/orders.ts'
import { createHub, hubSettings } from '../engine/models/hub.ts'
import { cacheFolder, folderCache } from '../engine/models/hub-cache.ts'
import type { Ending } from './analysis.ts'
import { runAnalysis } from './run-analysis.ts'
import type { RunnerSettings, RunOrder } from './runner-protocol.ts'
import type { ModelPlaces } from './subject.ts'

takeOrders((given, host) => {
  const order = given as TaskOrder | RunOrder
  switch (order.kind) {
    case 'task':
      return performTask(order, host)
    case 'run':
      return run(order, host)
  }
})

function run({ settings, request, machine }: RunOrder, { step, signal }: Host): Promise<Ending> {
  return runAnalysis(request, {
    ...settings,
    machine,
    models: modelPlaces(settings),
    now: () => new Date(),
    signal,
    tell: step,
    log: text => console.error(text),
  })
}

/**
 * A new Hub client for each analysis, because a client remembers every name it was asked for; the cache on disk
 * remains.
 */
function modelPlaces({ asksHub }: RunnerSettings): ModelPlaces {
  const hub = asksHub ? hubSettings(process.env) : undefined
  return hub === undefined ? {} : { hub: createHub({ ...hub, cache: folderCache(cacheFolder(process.env)) }) }
}
