/** The inside of a process of the tests: does what it is told, however bad. */
import { MemoryMarkError } from '../../engine/base/errors.ts'
import { takeOrders } from '../../engine/isolation/orders.ts'

export type TestOrder =
  | { readonly kind: 'echo'; readonly value: unknown }
  | { readonly kind: 'spin' }
  | { readonly kind: 'allocate' }
  | { readonly kind: 'allocate-outside-the-heap' }
  | { readonly kind: 'array-too-long' }
  | { readonly kind: 'throw' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'exit' }
  | { readonly kind: 'ask'; readonly question: string }
  /** Computes so long a step. */
  | { readonly kind: 'steps'; readonly millis: readonly number[] }
  /** Waits so long and computes nothing. */
  | { readonly kind: 'sleep'; readonly millis: number }
  | { readonly kind: 'until-cancelled' }

takeOrders(async (given, { step, ask, signal }) => {
  const order = given as TestOrder
  switch (order.kind) {
    case 'echo':
      return order.value
    case 'spin':
      return compute(Number.POSITIVE_INFINITY)
    case 'allocate': {
      const held: string[][] = []
      for (;;) held.push(Array.from({ length: 10_000 }, (_, index) => `${held.length} ${index}`))
    }
    case 'allocate-outside-the-heap': {
      const held: Buffer[] = []
      for (let round = 0; round < 64; round++) {
        held.push(Buffer.alloc(16 * 2 ** 20, 1))
        compute(20)
      }
      return held.length
    }
    case 'array-too-long':
      return new Array(2 ** 33).length
    case 'throw':
      throw new Error('a bug')
    case 'refuse':
      throw new MemoryMarkError({ code: 'unusable', message: 'This is not usable', fix: 'Use something else.' })
    case 'exit':
      return process.exit(7)
    case 'ask':
      return { answer: await ask(order.question) }
    case 'steps':
      for (const [index, millis] of order.millis.entries()) {
        compute(millis)
        await step(index)
      }
      return 'all'
    case 'sleep':
      await new Promise(resolve => setTimeout(resolve, order.millis))
      return 'awake'
    case 'until-cancelled':
      await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
      return 'ended by itself'
  }
})

/** Of CPU time, however much a busy machine gives the process of it. */
function compute(millis: number): void {
  const begun = process.threadCpuUsage()
  const usedMicros = () => {
    const { user, system } = process.threadCpuUsage(begun)
    return user + system
  }
  while (usedMicros() < millis * 1_000);
}
