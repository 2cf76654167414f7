import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { PatientFirst } from './test/patient-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/builds-folder.ts', 'test/warm-python/start.ts'],
    // Many tests start real processes; on a busy machine that takes as long as it takes, and no test is about time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default one of two cores would idle.
    maxWorkers: 2,
    // What a test file imports, and databases and engines that it lent, serve the next. Who changes the process puts it back.
    isolate: false,
    sequence: { sequencer: PatientFirst },
    expect: { poll: { timeout: 15_000 } },
    env: {
      // Processes that tests start from the sources need not strip the types anew each time.
      NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/node'),
      // Threads of two workers would wait for each other, each keeping a core busy.
      OMP_NUM_THREADS: '1',
    },
  },
})
