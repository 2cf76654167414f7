/** What the worker loads when a config of these tools asks for it. */
export { readMsSwift } from '../engine/config/dialects/ms-swift/read.ts'
export { readNemoRl } from '../engine/config/dialects/nemo-rl/read.ts'
export { readVerl } from '../engine/config/dialects/verl/read.ts'
