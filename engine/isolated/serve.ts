/** The start of the process with limits. */
import { takeOrders } from '../isolation/orders.ts'
import { performTask } from './perform.ts'
import type { TaskOrder } from './tasks.ts'

takeOrders((order, host) => performTask(order as TaskOrder, host))
