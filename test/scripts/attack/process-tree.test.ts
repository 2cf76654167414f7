import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import {
  ProcessTree,
  residentMib,
  residentMibOfAll,
  residentMibOfLargestChild,
} from '../../../scripts/attack/process-tree.ts'

const sleepy = 'setInterval(() => {}, 1_000)'
/** Says so when its own child has come up. */
const parent = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(sleepy)} ], { stdio: 'ignore' })
  child.on('spawn', () => console.log(child.pid))
  ${sleepy}`

async function startParent() {
  const child = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(child.stdout, 'data')
  return { child, pid: child.pid ?? 0, grandchild: Number(String(line)) }
}

test.runIf(process.platform === 'linux')('memory is that of a process and of those that it starts', async () => {
  const { pid, grandchild } = await startParent()
  await using tree = new ProcessTree(pid)
  // Their memory grows while they start.
  for (const running of [grandchild, pid]) process.kill(running, 'SIGSTOP')

  expect(residentMib(pid)).toBeGreaterThan(0)
  expect(residentMibOfAll(pid)).toBeGreaterThan(residentMib(pid))
  expect(residentMibOfLargestChild(pid)).toBe(residentMib(grandchild))
  expect(tree.takePeakMib()).toBeGreaterThan(residentMib(pid))
})

test.runIf(process.platform === 'linux')(
  'CPU time is that of all its processes, also of those that have ended',
  async () => {
    const spin = 'while (process.cpuUsage().user < 400_000);'
    const both = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(spin)}]); ${sleepy}`
    const child = spawn(process.execPath, ['-e', both], { stdio: 'ignore' })
    await using tree = new ProcessTree(child.pid ?? 0)

    await expect.poll(() => residentMibOfLargestChild(child.pid ?? 0)).toBeGreaterThan(0)
    await expect.poll(() => residentMibOfLargestChild(child.pid ?? 0)).toBe(0)
    expect(tree.takeCpuMillis()).toBeGreaterThan(100)
    expect(tree.takeCpuMillis()).toBeLessThan(100)
  },
)

test.runIf(process.platform === 'linux')('what a process leaves behind is counted and ended', async () => {
  const { child, pid, grandchild } = await startParent()
  await using tree = new ProcessTree(pid)
  child.kill('SIGKILL')
  await once(child, 'exit')

  expect(await tree.survivors(100)).toBe(1)
  await expect.poll(() => residentMib(grandchild)).toBe(0)
})
