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

function allocate(): never {
  const held: string[][] = []
  for (;;) held.push(Array.from({ length: 10_000 }, (_, index) => `${held.length} ${index}`))
}
