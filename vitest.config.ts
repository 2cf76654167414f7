import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { PatientFirst } from './test/patient-first.ts'

/** Of the engine's calculations, which leave nothing behind in their process: what one file imports serves the next. */
const calculations =
  'test/{advice,calibration,config,estimate,gpus,metrics,plan,program,render,report,search,settings,verdict}/**/*.test.ts'

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'calculations', include: [calculations], isolate: false } },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts'],
          exclude: [calculations],
          globalSetup: ['test/builds-folder.ts', 'test/warm-python/start.ts'],
        },
      },
    ],
    sequence: { sequencer: PatientFirst },
    // Many tests start real processes; on a busy machine that takes as long as it takes, and no test is about time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // By default one of two cores would idle.
    maxWorkers: 2,
    expect: { poll: { timeout: 15_000 } },
    env: {
      // Processes that tests start from the sources need not strip the types anew each time.
      NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/node'),
      // Threads of two workers would wait for each other, each keeping a core busy.
      OMP_NUM_THREADS: '1',
    },
  },
})
