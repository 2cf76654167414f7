import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** Of tests that change their process, or measure it: the folder that it is in, Node's flags, what it is started with. */
const alone = 'test/{bench,isolation,probes,warm-python}/**/*.test.ts'

const settings = {
  // Many tests start real processes; on a busy machine that takes as long as it takes, and no test is about time.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 60_000 } },
  env: {
    // Processes that tests start from the sources need not strip the types anew each time.
    NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/node'),
    // Threads of two workers would wait for each other, each keeping a core busy.
    OMP_NUM_THREADS: '1',
  },
  // Node reads the sources itself, as everywhere else: with Vite in between, each import is a look-up whenever it is used.
  experimental: { viteModuleRunner: false, nodeLoader: false },
}

export default defineConfig({
  test: {
    ...settings,
    // Once for both projects, in which it would stand twice if they extended this.
    globalSetup: ['test/builds-folder.ts', 'test/warm-python/start.ts'],
    projects: [
      { test: { ...settings, name: 'alone', include: [alone] } },
      {
        test: {
          ...settings,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [alone],
          // What one file imports, and the databases and processes that it lends, serve the next.
          isolate: false,
          setupFiles: ['test/leaves-nothing.ts'],
        },
      },
    ],
    // By default one of two cores would idle.
    maxWorkers: 3,
  },
})
