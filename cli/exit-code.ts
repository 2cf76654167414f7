import type { INTERRUPTED } from '../engine/base/interruption.ts'

/** 0 fine, 1 blocked by policy, 2 usage or bad input, 130 interrupted, as a shell reports SIGINT. */
export type ExitCode = 0 | 1 | 2 | typeof INTERRUPTED
