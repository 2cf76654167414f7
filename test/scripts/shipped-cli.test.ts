import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildBundle, bundles, root } from '../../scripts/bundles.ts'

test('the shipped command line sweeps in the shipped TensorFlow.js', async () => {
  // Inside the repository, so that the packages that stay outside the bundle are found.
  const caches = path.join(root, 'node_modules', '.cache')
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(path.join(caches, 'memorymark-shipped-'))
  try {
    for (const bundle of bundles.filter(({ outfile }) => /(?:cli|analysis|tfjs)\.js$/.test(outfile))) {
      for (const { name, contents } of await buildBundle(bundle)) {
        await writeFile(path.join(folder, path.basename(name)), contents)
      }
    }
    await writeFile(path.join(folder, 'package.json'), '{"type": "module"}')
    const flags = ['--framework', 'tensorflow.js', '--batch-size', '4', '--gpu', 'a10', '--json']
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [path.join(folder, 'cli.js'), 'sweep', 'gpt2', ...flags],
      {
        cwd: folder,
        // Without a native package memory is counted exactly, and a model of this size is not computed on the CPU.
        env: { ...process.env, MEMORYMARK_TFJS_NATIVE: folder },
      },
    )
    const { largestBatch, trials } = JSON.parse(stdout)
    expect(largestBatch).toBeGreaterThan(4)
    expect(trials.every(({ provenance }: { provenance: string }) => provenance === 'traced')).toBe(true)
  } finally {
    await rm(folder, { recursive: true })
  }
})
