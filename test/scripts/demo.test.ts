import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { root } from '../../scripts/bundles.ts'

it('the demo goes from a pull request to the comment and the check of the bot, and ends', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'scripts/demo.ts')], {
    encoding: 'utf8',
    timeout: 540_000,
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

it('shows the pull request as a page, with comment, suggestions and check', async () => {
  const demo = spawn(process.execPath, [path.join(root, 'scripts/demo.ts'), '--keep'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await addressIn(demo.stdout)
    const page = await (await fetch(url)).text()
    expect(page).toContain('runs out of memory on the NVIDIA A10')
    expect(page).toMatch(/<span class="added">\+per_device_train_batch_size: 32/)
    const [, suggestion = ''] = page.split('memorymark[bot] on examples/configs/bert-mnli.yaml, lines 5 to 6')
    expect(suggestion).toContain('Suggested change')
    expect(suggestion).toMatch(
      /<span class="removed">-per_device_train_batch_size: 8\n.*<span class="added">\+per_device/s,
    )
    expect(page.split('<b>MemoryMark</b>: failure')).toHaveLength(2)
    expect(page).toContain('class="annotation failure"')
    // Drawn, as GitHub does.
    expect(page).toContain('<svg class="chart"')
    expect(page).not.toContain('xychart')
  } finally {
    demo.kill('SIGINT')
    await once(demo, 'exit')
  }
})

async function addressIn(output: Readable): Promise<string> {
  let text = ''
  // Ended there, the stream would be closed, and the demo with it at the next line that it prints.
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk
    const [, url] = /as GitHub would show it: (\S+)\n/.exec(text) ?? []
    if (url === undefined) continue
    output.resume()
    return url
  }
  throw new Error(`The demo has named no page:\n${text}`)
}
