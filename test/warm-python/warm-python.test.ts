/** The stand-in runs a program as Python does, without importing PyTorch anew. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, inject, test } from 'vitest'
import { isAlive } from '../server/silent-python.ts'

const warm = inject('warmPython') ?? ''

function run(program: string, env: NodeJS.ProcessEnv = {}) {
  const { stdout, status, signal } = spawnSync(warm, ['-c', program, 'argument'], {
    input: 'told',
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return { stdout: stdout.trim(), status, signal }
}

const isWarm = 'import sys; print("torch" in sys.modules)'

describe.skipIf(warm === '')('a warm Python', () => {
  test('has the libraries, and passes on arguments, input, environment and folder', () => {
    expect(run(isWarm).stdout).toBe('True')
    const told = 'import os, sys; print(sys.argv[1], sys.stdin.read(), os.environ["ABOUT"], os.getcwd())'
    expect(run(told, { ABOUT: 'this' }).stdout).toBe(`argument told this ${process.cwd()}`)
  })

  test('starts anew where the environment is one that Python or PyTorch reads when it starts', () => {
    expect(run(isWarm, { PYTHONPATH: '/nowhere' }).stdout).toBe('False')
    expect(run(isWarm, { OMP_NUM_THREADS: '2' }).stdout).toBe('False')
  })

  test('ends as the program ends', () => {
    expect(run('raise SystemExit(3)').status).toBe(3)
    expect(run('1 / 0').status).toBe(1)
    expect(run('import os; os.kill(os.getpid(), 9)').signal).toBe('SIGKILL')
  })

  test('takes the program with it, and what that started', async () => {
    // In one piece, since output is not buffered.
    const program =
      "import os, subprocess; print(f\"{os.getpid()} {subprocess.Popen(['sleep', '60']).pid}\", flush=True); os.wait()"
    const child = spawn(warm, ['-c', program])
    const [text] = await once(child.stdout, 'data')
    const pids = String(text).trim().split(' ').map(Number)
    expect(pids.map(isAlive)).toEqual([true, true])
    child.kill('SIGKILL')
    await expect.poll(() => pids.some(isAlive)).toBe(false)
  })
})
