/** The process with limits, in which a file may bring down what reads it: by a word in its text. */
import { performTask } from '../../engine/isolated/perform.ts'
import type { TaskOrder } from '../../engine/isolated/tasks.ts'
import { takeOrders } from '../../engine/isolation/orders.ts'

let isFirst = true

takeOrders(async (given, host) => {
  const order = given as TaskOrder
  const wasFirst = isFirst
  isFirst = false
  for (const file of order.files) {
    if (file.text.includes('# spin')) for (;;);
    if (file.text.includes('# allocate')) allocate()
    if (file.text.includes('# leave a mess') && !wasFirst) allocate()
    if (file.text.includes('# die')) process.kill(process.pid, 'SIGKILL')
    if (file.text.includes('# bug')) throw new Error('a bug')
    await performTask({ ...order, files: [file] }, host)
  }
})

/** Fast enough that the limit on time, which counts beside, is not reached before. */
function allocate(): never {
  const held: number[][] = []
  for (;;) held.push(new Array<number>(1_000_000).fill(held.length))
}
