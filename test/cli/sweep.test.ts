import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { report } from '../../engine/report/schema.ts'
import { hasTorch, python } from '../probes/python.ts'
import { isAlive } from '../server/silent-python.ts'
import { sharedCommand } from '../shared-builds.ts'
import { run, Workspace } from './run-cli.ts'

function configOf(stdout: string) {
  const [config] = report.parse(JSON.parse(stdout)).configs
  if (config?.status !== 'analysed') throw new Error(stdout)
  return config
}

describe('sweep --engine estimate', () => {
  test('answers what estimate answers, and says that it is estimated', async () => {
    const estimated = await run('estimate', 'bert', '--batch-size', '16', '--json')
    const plain = ['--sequence-length', '128', '--precision', 'fp32', '--optimizer', 'adamw', '--loop', 'plain']
    const swept = await run('sweep', 'bert', '--batch-size', '16', ...plain, '--engine', 'estimate', '--json')
    const config = configOf(swept.stdout)
    expect(config.largest?.microBatch).toBe(JSON.parse(estimated.stdout).largestBatch)
    expect(config.recommended?.microBatch).toBe(JSON.parse(estimated.stdout).recommendedBatch)
    expect(config.current.peakBytes).toBe(JSON.parse(estimated.stdout).peakBytes)
    expect([config.provenance, config.throughputProvenance]).toEqual(['estimated', 'modelled'])
    expect(config.assumptions[0]).toMatch(/^Peak memory is estimated for the NVIDIA A10/)
  })

  test('trains a bare model as estimate does, in full and at the batch of the Trainer, and says what it assumed', async () => {
    const estimated = JSON.parse((await run('estimate', 'bert', '--gpu', 't4', '--json')).stdout)
    const swept = configOf((await run('sweep', 'bert', '--gpu', 't4', '--engine', 'estimate', '--json')).stdout)
    expect(swept.spec).toEqual({ ...estimated.rows[0].spec, microBatch: 8 })
    for (const sentence of estimated.assumptions) expect(swept.assumptions).toContain(sentence)
    expect(swept.assumptions.join(' ')).toMatch(/512 tokens.*no bf16.*AdamW.*Micro-batch 8, the Trainer's default/)
  })

  test('every strategy finds the same largest batch', async () => {
    const largest = await Promise.all(
      ['predict-verify', 'bisect'].map(async strategy => {
        const { stdout } = await run('sweep', 'bert', '--engine', 'estimate', '--strategy', strategy, '--json')
        return configOf(stdout).largest?.microBatch
      }),
    )
    expect(new Set(largest).size).toBe(1)
  })

  test('prints a plain line a trial on stderr, with size, memory and bar', async () => {
    const { stderr } = await run('sweep', 'bert', '--engine', 'estimate')
    expect(stderr).toMatch(/^trial {2}1 {2}batch {5}8 +2\.\d\d GiB {2}█+/)
    expect(stderr).not.toContain('\r')
  })

  test('a limit makes a smaller card', async () => {
    const { stdout } = await run('sweep', 'bert', '--engine', 'estimate', '--limit-memory', '8GiB', '--json')
    const config = configOf(stdout)
    expect(config.gpu.totalBytes).toBe(8 * 2 ** 30)
    expect(config.largest?.microBatch).toBeLessThan(100)
  })

  test('a limit in GB is refused, since GB and GiB differ', async () => {
    const { exitCode, stderr } = await run('sweep', 'bert', '--limit-memory', '8GB')
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/--limit-memory.*22\.1GiB/)
  })
})

describe('sweep judges as check does', () => {
  test('by the settings of the repository, and flags win over them', async () => {
    await using workspace = await Workspace.with({
      '.github/memorymark.yml': 'gpu: l4\nprices:\n  l4: 0.5\nmargin_percent: 20\nfail-on: waste > 1 %\n',
    })
    const sweep = async (...flags: string[]) => {
      const { stdout, exitCode } = await workspace.run(
        'sweep',
        'bert',
        '--batch-size',
        '1',
        '--engine',
        'estimate',
        '--json',
        ...flags,
      )
      return { config: configOf(stdout), exitCode }
    }
    const bySettings = await sweep()
    expect([bySettings.config.gpu.id, bySettings.config.gpu.pricePerHourUsd]).toEqual(['l4', 0.5])
    expect(bySettings.exitCode).toBe(1)
    const { recommended, gpu } = bySettings.config
    expect(recommended?.peakBytes).toBeLessThan(gpu.usableBytes * 0.8)
    const byFlags = await sweep('--gpu', 'a10', '--price-per-hour', '2', '--fail-on', 'never')
    expect([byFlags.config.gpu.id, byFlags.config.gpu.pricePerHourUsd]).toEqual(['a10', 2])
    expect(byFlags.exitCode).toBe(0)
  })
})

describe('a config of TensorFlow.js', () => {
  const files = {
    'train.yaml':
      'memorymark:\n  model: distilbert/distilbert-base-uncased\n  batch_size: 4\n  framework: tensorflow.js\n',
  }

  test('is swept in TensorFlow.js, and nothing is said of waste or cost', async () => {
    await using workspace = await Workspace.with(files)
    const { stdout, exitCode } = await workspace.run('sweep', 'train.yaml', '--gpu', 'a10', '--json')
    const { largestBatch, trials } = JSON.parse(stdout)
    expect(exitCode).toBe(0)
    expect(largestBatch).toBe(8)
    expect(trials.map((trial: { microBatch: number }) => trial.microBatch)).toContain(largestBatch)
    expect(stdout).not.toMatch(/waste|cost/)
  })

  test('has a backward pass, which the forward pass alone does not pay for', async () => {
    const flags = ['--framework', 'tensorflow.js', '--batch-size', '4', '--json']
    const { stdout, exitCode } = await run('validate-backward', 'resnet', ...flags)
    const { ratio, forwardPeakBytes, forwardBackwardPeakBytes } = JSON.parse(stdout)
    expect(exitCode).toBe(0)
    expect(ratio).toBeCloseTo(forwardBackwardPeakBytes / forwardPeakBytes)
    expect(ratio).toBeGreaterThan(1.5)
  })

  test('is refused where TensorFlow.js lacks a layer of the model', async () => {
    const { stdout, exitCode } = await run('sweep', 'mistralai/Mixtral-8x7B-v0.1', '--framework', 'tensorflow.js')
    expect(exitCode).toBe(2)
    expect(stdout).toContain("not supported in TensorFlow.js: the model's ops routed, experts")
  })

  test('is not estimated by our model of PyTorch', async () => {
    await using workspace = await Workspace.with(files)
    const { stderr, stdout, exitCode } = await workspace.run('check', 'train.yaml')
    expect(exitCode).toBe(2)
    expect(stdout + stderr).toMatch(/steps in tensorflow\.js can only be run, not estimated.*memorymark sweep/s)
  })
})

test('doctor names the engine that auto takes, and what TensorFlow.js would run on', async () => {
  const { exitCode, stdout } = await run('doctor', '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout).tfjs.provenance).toBe('traced')
  expect(['estimate', 'trace', 'torch']).toContain(JSON.parse(stdout).engine)
})

test('doctor says where the interpreter that is named is none', async () => {
  const { exitCode, stdout } = await run('doctor', '--python', '/nowhere/python')
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(
    /^python +\/nowhere\/python: no PyTorch\. Python cannot be started: there is no program \/nowhere\/python$/m,
  )
})

describe.skipIf(!hasTorch)('with Python and PyTorch', () => {
  test('sweep --engine trace says that memory is traced and speed modelled', async () => {
    const { stdout } = await run('sweep', 'distilbert/distilbert-base-uncased', '--engine', 'trace', '--json')
    const config = configOf(stdout)
    expect([config.provenance, config.throughputProvenance]).toEqual(['traced', 'modelled'])
    expect(config.trials.every(({ provenance }) => provenance === 'traced')).toBe(true)
    expect(config.trials.length).toBeLessThanOrEqual(6)
  })

  test('forward and backward of BERT need over three times the forward pass, as the published 3.34', async () => {
    const { exitCode, stdout } = await run('validate-backward', 'bert', '--engine', 'trace', '--json')
    expect(exitCode).toBe(0)
    const { ratio, provenance } = JSON.parse(stdout)
    expect(provenance).toBe('traced')
    expect(ratio).toBeGreaterThan(3.2)
    expect(ratio).toBeLessThan(3.5)
  })

  test('Ctrl-C ends the sweep with 130, prints what is known and leaves no process', async () => {
    await using workspace = await Workspace.with({ 'step.py': slowFromTwo })
    const args = ['sweep', 'bert', '--batch-size', '1', '--engine', 'torch', '--device', 'cpu']
    const own = ['--limit-memory', '2GiB', '--allow-entrypoint', 'step.py:step']
    const child = spawn(process.execPath, [await sharedCommand('memorymark'), ...args, ...own], {
      cwd: workspace.folder,
      env: { ...process.env, MEMORYMARK_PYTHON: python },
    })
    let stdout = ''
    child.stdout.on('data', chunk => {
      stdout += chunk
    })
    const pid = await expect
      .poll(() => readFile(path.join(workspace.folder, 'pid'), 'utf8').catch(() => ''))
      .not.toBe('')
      .then(() => readFile(path.join(workspace.folder, 'pid'), 'utf8'))
    child.kill('SIGINT')
    const [exitCode] = await once(child, 'close')
    expect(exitCode).toBe(130)
    expect(stdout).toContain('Interrupted. Batch 1 fits.')
    // Whoever forked it still has to take note of its end.
    await expect.poll(() => isAlive(Number(pid))).toBe(false)
  })
})

/** Steps at once at batch 1; sleeps above it, after writing its process's id. */
const slowFromTwo = `import os, time, torch
def step(spec, device):
    model = torch.nn.Linear(4, 4)
    class Answer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = model
        def forward(self, x):
            y = self.inner(x)
            return type("Output", (), {"loss": y.sum(), "logits": y})()
    def batch(size):
        if size > 1:
            with open("pid.part", "w") as file:
                file.write(str(os.getpid()))
            os.rename("pid.part", "pid")
            time.sleep(600)
        return {"x": torch.ones(size, 4)}
    return Answer(), batch
`
