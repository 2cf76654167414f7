import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/bundles.ts'

it('the demo goes from a pull request to the comment and the check of the bot, and ends', { timeout: 60_000 }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'scripts/demo.ts')], {
    encoding: 'utf8',
    timeout: 55_000,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('GitHub is emulated on this machine and every number is an estimate')
  expect(stdout).toContain('runs out of memory, 1 trains slower than it could. Exit code 1.')

  const [, comment, check, places] = stdout.split(/──── .+ ────/)
  expect(comment).toContain('**`examples/configs/gpt2-wikitext.json`** runs out of memory on the NVIDIA A10')
  expect(comment).toContain('**`examples/configs/bert-mnli.yaml`** trains slower')
  expect(comment).toMatch(/^🟩 `examples\/configs\/resnet50-flowers.yaml`.*nothing to gain/m)
  expect(comment).not.toContain('dataset.yaml')
  // The Action's settings, not the bot's: the comment tells the report of the workflow run.
  expect(comment).toContain('6 hours per run at the current batch, 50 runs per year')
  expect(check).toContain(
    'MemoryMark: failure\n1 of 3 training configs runs out of memory, 1 trains slower than it could\n2 annotations',
  )
  expect(places).toMatch(/http:\/\/127\.0\.0\.1:\d+\/repos\/acme\/models\/pulls\/1\n/)
})
