/** Commands in a process of their own, as a shell starts them, end and write as in the one that the other tests share. */
import { expect, test } from 'vitest'
import { Workspace } from './run-cli.ts'

const files = {
  'fine.yaml': 'memorymark:\n  model: bert\n  batch_size: 256\n  sequence_length: 128\n  optimizer: sgd\n',
  'large.yaml': 'memorymark:\n  model: gpt2-xl\n  batch_size: 64\n  sequence_length: 1024\n',
  'runs.json': '[]',
}

test.concurrent.each([
  [0, []],
  [2, ['chekc']],
  [1, ['check', '--gpu', 'a10']],
  [2, ['check', 'runs.json']],
  [0, ['explain', 'fine.yaml']],
  [0, ['estimate', 'large.yaml', '--json']],
  [0, ['advise', 'large.yaml', '--gpu', 'a10']],
  [1, ['plan', 'meta-llama/Llama-3.1-70B', '--gpus', 'a10', '--max-gpus', '4', '--method', 'lora']],
  [0, ['timeline', 'fine.yaml', '--json']],
  [0, ['sweep', 'fine.yaml', '--engine', 'estimate']],
  [2, ['calibrate', 'runs.json']],
  [0, ['doctor', '--json']],
  [2, ['serve', '--port', '70000']],
  [2, ['mcp', '--port']],
  [2, ['validate-backward', 'no-such-model', '--engine', 'estimate']],
  [2, ['validate-compile', 'no-such-model']],
])('ends with %i after %j', async (exitCode, args) => {
  await using workspace = await Workspace.with(files)
  const alone = await workspace.runAlone(...args)
  expect(alone.exitCode, alone.stderr).toBe(exitCode)
  expect(await workspace.run(...args)).toEqual(alone)
})
