/** The real steps of the Python worker, on the CPU: the same code runs on a GPU but for the counters it reads. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { MIB } from '../../engine/base/units.ts'
import { describeMachine } from '../../engine/probes/device.ts'
import { openProbe } from '../../engine/probes/open-probe.ts'
import type { ProbeContext } from '../../engine/probes/probe.ts'
import { coldPython, hasTorch, python } from './python.ts'
import { tinyContext, tinySpec } from './tiny-spec.ts'

const context: ProbeContext = {
  ...tinyContext,
  deviceKind: 'cpu',
  limitMemoryBytes: 600 * MIB,
}

test('without an interpreter the torch engine says what to do', async () => {
  await expect(openProbe('torch', { ...context, python: '/nonexistent/python' })).rejects.toThrow(
    /torch engine cannot run here.*memorymark doctor/s,
  )
})

test('without an interpreter auto is the estimate', async () => {
  await using probe = await openProbe('auto', { ...context, python: '/nonexistent/python' })
  expect(probe.engine).toBe('estimate')
})

describe.skipIf(!hasTorch)('with Python and PyTorch', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'memorymark-torch-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('the machine names its versions', async () => {
    expect(await describeMachine(coldPython)).toMatchObject({
      kind: 'python',
      torch: expect.stringMatching(/^\d+\.\d+/),
    })
  })

  test('a sweep on the CPU is refused without a limit', async () => {
    const { limitMemoryBytes: _, ...unlimited } = context
    await expect(openProbe('torch', unlimited)).rejects.toThrow(/--limit-memory/)
  })

  test('a step has a time, no peak, and after out of memory the next trial runs in a new process', async () => {
    await using probe = await openProbe('torch', context)
    const first = await probe.trial(2)
    expect(first).toMatchObject({ microBatch: 2, provenance: 'measured', outcome: { kind: 'fits' } })
    expect(first.outcome).not.toHaveProperty('peakBytes')
    expect(first.outcome).not.toHaveProperty('stepMillisSpread')
    expect((await probe.trial(200_000)).outcome).toEqual({ kind: 'out-of-memory' })
    expect((await probe.trial(2, { steps: 5 })).outcome).toMatchObject({
      kind: 'fits',
      stepMillisSpread: expect.any(Number),
    })
  })

  test('every precision and form of optimizer steps, with checkpointing and accumulation', async () => {
    const pairs = [
      ['bf16', 'adamw-fused'],
      ['amp-bf16', 'adamw-loop'],
      ['amp-fp16', 'sgd-momentum'],
    ] as const
    for (const [precision, optimizer] of pairs) {
      const spec = { ...tinySpec, precision, optimizer, gradientCheckpointing: true, gradientAccumulation: 2 }
      await using probe = await openProbe('torch', { ...context, spec })
      expect((await probe.trial(2, { accumulates: true })).outcome.kind, `${precision} ${optimizer}`).toBe('fits')
    }
  })

  test.for(['ddp', 'fsdp'] as const)(
    'under torchrun two processes step as one with %s, and one that is out of memory speaks for both',
    async (sharding, { skip }) => {
      const spec = { ...tinySpec, gpus: 2, sharding, gradientAccumulation: 2 }
      await using probe = await openProbe('torch', { ...context, spec, limitMemoryBytes: 300 * MIB })
      const { outcome } = await probe.trial(2, { steps: 4, accumulates: true })
      const needsGpu = outcome.kind === 'failed' && /'Stream' object has no attribute/.test(outcome.problem.message)
      skip(needsGpu, 'fully_shard of PyTorch 2.6 steps on a GPU alone')
      expect(outcome).toMatchObject({ kind: 'fits', stepMillis: expect.any(Number) })
      expect((await probe.trial(50_000)).outcome).toEqual({ kind: 'out-of-memory' })
    },
  )

  test("DeepSpeed's sharding is estimated, never measured as something else", async () => {
    const spec = { ...tinySpec, gpus: 2, sharding: 'zero3' as const }
    await expect(openProbe('torch', { ...context, spec })).rejects.toThrow(/does not support DeepSpeed's sharding/)
    await using probe = await openProbe('auto', { ...context, spec })
    expect(probe.engine).toBe('estimate')
  })

  test('a trial that takes too long times out, and its process is gone', async () => {
    const pidFile = path.join(folder, 'pid')
    const entrypoint = await sleeping(pidFile)
    await using probe = await openProbe('torch', {
      ...context,
      python: coldPython,
      entrypoint,
      trialTimeoutMillis: 8_000,
    })
    expect((await probe.trial(1)).outcome).toEqual({ kind: 'timed-out', afterMillis: 8_000 })
    await expectGone(pidFile)
  })

  test('a cancelled trial leaves no process behind', async () => {
    const pidFile = path.join(folder, 'pid-cancelled')
    const abort = new AbortController()
    await using probe = await openProbe('torch', {
      ...context,
      python: coldPython,
      entrypoint: await sleeping(pidFile),
    })
    const trial = probe.trial(1, { signal: abort.signal })
    await written(pidFile)
    abort.abort()
    expect((await trial).outcome.kind).toBe('failed')
    await expectGone(pidFile)
  })

  test('an error in the step is a failure with its traceback, never out of memory', async () => {
    const file = path.join(folder, 'raising.py')
    await writeFile(file, 'def step(spec, device):\n    raise ValueError("no such column")\n')
    const logged: string[] = []
    await using probe = await openProbe('torch', {
      ...context,
      entrypoint: `${file}:step`,
      log: text => logged.push(text),
    })
    expect((await probe.trial(1)).outcome).toMatchObject({
      kind: 'failed',
      problem: { code: 'step-failed', message: expect.stringContaining('no such column') },
    })
    expect(logged.join()).toContain('raising.py')
  })

  test('what the libraries say when they run out of memory is recognised; what may have other reasons, only where memory is short', () => {
    const script = `
import json, sys, types
sys.path.insert(0, ${JSON.stringify(worker)})
import torch
from memorymark_worker.out_of_memory import is_out_of_memory
def device(kind, is_short):
    return types.SimpleNamespace(kind=kind, memory_is_short=lambda: is_short)
ends = ["CUDA error: out of memory", "CUDA driver error: out of memory", "Triton Error [CUDA]: out of memory",
        "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)",
        "cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "HIP error: out of memory",
        "NCCL error in: ProcessGroupNCCL.cpp:94, unhandled cuda error\\nCuda failure 2 'out of memory'"]
perhaps = ["CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling cublasCreate(handle)",
           "GET was unable to find an engine to execute this computation"]
other = ["CUDA error: device-side assert triggered", "out of resource: shared memory"]
host = RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes")
def recognised(texts, is_short):
    return [is_out_of_memory(RuntimeError(text), device("cuda", is_short)) for text in texts]
print(json.dumps({
  "plenty": [all(recognised(ends, False)), any(recognised(perhaps + other, False))],
  "short": [all(recognised(ends + perhaps, True)), any(recognised(other, True))],
  "typed": is_out_of_memory(torch.cuda.OutOfMemoryError("x"), device("cuda", False)),
  "other": is_out_of_memory(ValueError("CUDA error: out of memory"), device("cuda", True)),
  "host": [is_out_of_memory(error, device(kind, False)) for kind in ("cuda", "cpu") for error in (host, MemoryError())],
}))`
    expect(JSON.parse(execFileSync(python, ['-c', script], { encoding: 'utf8' }))).toEqual({
      plenty: [true, false],
      short: [true, false],
      typed: true,
      other: false,
      host: [false, false, true, true],
    })
  })

  test('bitsandbytes, which ends the process when its own allocation fails, is out of memory and not a dead worker', async () => {
    const file = path.join(folder, 'ending.py')
    await writeFile(
      file,
      `import os
def step(spec, device):
    os.write(2, b"Error out of memory at line 380 in file /src/csrc/ops.cu")
    os._exit(1)
`,
    )
    await using probe = await openProbe('torch', { ...context, entrypoint: `${file}:step` })
    expect((await probe.trial(2)).outcome).toEqual({ kind: 'out-of-memory' })
  })

  test('a paged optimizer, whose memory bitsandbytes never frees, has a process a trial', async () => {
    const own = await mkdtemp(path.join(folder, 'paged-'))
    await writeFile(
      path.join(own, 'bitsandbytes.py'),
      'import torch, types\noptim = types.SimpleNamespace(PagedAdamW8bit=torch.optim.AdamW)\n',
    )
    await writeFile(
      path.join(own, 'own.py'),
      `import os, torch, transformers
def step(spec, device):
    with open(${JSON.stringify(path.join(own, 'pids'))}, "a") as file:
        file.write(f"{os.getpid()} ")
    config = transformers.BertConfig(vocab_size=100, hidden_size=64, num_hidden_layers=1, num_attention_heads=2, intermediate_size=128)
    model = transformers.BertForSequenceClassification(config)
    ids = lambda batch: torch.zeros(batch, 8, dtype=torch.long)
    return model, lambda batch: {"input_ids": ids(batch), "labels": torch.zeros(batch, dtype=torch.long)}
`,
    )
    const spec = { ...tinySpec, optimizer: 'paged-adamw-8bit' as const }
    await using probe = await openProbe('torch', { ...context, spec, entrypoint: `${path.join(own, 'own.py')}:step` })
    expect((await probe.trial(2)).outcome.kind).toBe('fits')
    expect((await probe.trial(2)).outcome.kind).toBe('fits')
    const pids = (await readFile(path.join(own, 'pids'), 'utf8')).trim().split(' ')
    expect(new Set(pids).size).toBe(2)
  })

  describe('in a checkout that brings a torch of its own', () => {
    const repository = process.cwd()
    let checkout: string
    beforeAll(async () => {
      checkout = await mkdtemp(path.join(folder, 'checkout-'))
      await mkdir(path.join(checkout, 'torch'))
      await writeFile(
        path.join(checkout, 'torch/__init__.py'),
        'open("/dev/stderr", "w").write("HOSTILE")\nraise SystemExit(7)\n',
      )
    })
    afterEach(() => {
      process.chdir(repository)
      vi.unstubAllEnvs()
    })

    test.for([1, 2])('PyTorch’s own runs, in %i processes, whatever PYTHONPATH names of the workspace', async gpus => {
      process.chdir(checkout)
      vi.stubEnv('PYTHONPATH', [checkout, '.', ''].join(path.delimiter))
      const spec = { ...tinySpec, gpus }
      await using probe = await openProbe('torch', { ...context, spec })
      expect((await probe.trial(2)).outcome).toMatchObject({ kind: 'fits' })
    })
  })

  /** User code that writes its process's id, starts a child of its own, and sleeps. */
  async function sleeping(pidFile: string): Promise<string> {
    const file = `${pidFile}.py`
    await writeFile(
      file,
      `import os, subprocess, time
def step(spec, device):
    child = subprocess.Popen(["sleep", "600"])
    with open(${JSON.stringify(`${pidFile}.part`)}, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    os.rename(${JSON.stringify(`${pidFile}.part`)}, ${JSON.stringify(pidFile)})
    time.sleep(600)
`,
    )
    return `${file}:step`
  }
})

const worker = fileURLToPath(new URL('../../engine/probes/worker', import.meta.url))

async function written(file: string): Promise<string> {
  return await expect
    .poll(() => readFile(file, 'utf8').catch(() => ''))
    .not.toBe('')
    .then(() => readFile(file, 'utf8'))
}

async function expectGone(pidFile: string): Promise<void> {
  for (const pid of (await written(pidFile)).split(' ').map(Number)) {
    await expect.poll(() => isRunning(pid)).toBe(false)
  }
}

/** A process that has ended but whose parent has not looked yet is no longer running. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8', stdio: 'pipe' }))
  } catch {
    return false
  }
}
