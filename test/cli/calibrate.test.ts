/** From what a training run left behind to the figures of later checks. */
import { readFile, truncate } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { report } from '../../engine/report/schema.ts'
import { run, Workspace } from './run-cli.ts'

const calibration = '.github/memorymark-calibration.json'
const settings = `gpu: a10\ncalibration: ${calibration}\n`
const training =
  'model_name_or_path: bert-base-uncased\ndataset_name: glue\nper_device_train_batch_size: 8\nmax_seq_length: 128\nlearning_rate: 2e-5\nnum_train_epochs: 3\n'
const state = (rate: number, batch = 8) =>
  JSON.stringify({
    log_history: [{ train_runtime: 100, train_samples_per_second: rate }],
    train_batch_size: batch,
  })

function workspace(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  return Workspace.with({ '.github/memorymark.yml': settings, 'train.yaml': training, ...files })
}

async function checked(within: Workspace) {
  const { stdout, stderr } = await within.run('check', 'train.yaml', '--json')
  const [config] = stdout === '' ? [] : report.parse(JSON.parse(stdout)).configs
  if (config?.status !== 'analysed') throw new Error(stderr + stdout)
  return config
}

describe('calibrate', () => {
  test('reads what a long run left, and refuses by its size what none leaves', async () => {
    const entry = { epoch: 0.5, grad_norm: 1.2345678806304932, learning_rate: 0.000049, loss: 1.2345 }
    const history = Array.from({ length: 150_000 }, (_, step) => ({ ...entry, step }))
    const end = { train_runtime: 100, train_samples_per_second: 90 }
    const long = JSON.stringify({ log_history: [...history, end], train_batch_size: 8 }, undefined, 2)
    expect(long.length).toBeGreaterThan(2 ** 24)
    await using within = await workspace({ 'state.json': long, 'weights.log': '' })
    const read = await within.run('calibrate', 'state.json', '--config', 'train.yaml')
    expect(read).toMatchObject({ exitCode: 0, stderr: '' })
    // Without blocks on the disk.
    await truncate(path.join(within.folder, 'weights.log'), 300_000_000)
    const refused = await within.run('calibrate', 'weights.log', '--config', 'train.yaml')
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toBe(
      'weights.log: the file is larger than 256 MiB. Give its lines with train_runtime, train_samples_per_second and eval_runtime alone.\n',
    )
  })

  test('corrects what the next check says, and only then', async () => {
    await using within = await workspace({ 'state.json': state(90), 'log.txt': "{'train_samples_per_second': 100.0}" })
    const before = await checked(within)
    expect(before.calibration).toBeUndefined()
    const first = await within.run('calibrate', 'state.json', '--config', 'train.yaml')
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    expect(first.stdout).toMatch(
      /^a10, text: speed \d\.\d\d times the estimate, in one run\.\n.*keeps 1 run\. Commit it\.$/m,
    )
    const second = await within.run('calibrate', 'log.txt', '--config', 'train.yaml')
    expect(second.stdout).toContain('in 2 runs')
    const after = await checked(within)
    expect(after.current.samplesPerSecond).toBeCloseTo(Math.sqrt(90 * 100), 6)
    expect(after).toMatchObject({ throughputProvenance: 'modelled', calibration: { speed: { runs: 2 } } })
  })

  test('makes the folder of a repository without settings', async () => {
    await using within = await Workspace.with({ 'train.yaml': training, 'state.json': state(90) })
    const { exitCode, stdout } = await within.run('calibrate', 'state.json', '--config', 'train.yaml', '--gpu', 'a10')
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`write \`calibration: ${calibration}\``)
    expect(JSON.parse(await readFile(path.join(within.folder, calibration), 'utf8')).runs).toHaveLength(1)
  })

  test('keeps the readings themselves, and estimates those of another version anew', async () => {
    await using within = await workspace({ 'state.json': state(90) })
    await within.run('calibrate', 'state.json', '--config', 'train.yaml')
    const file = path.join(within.folder, calibration)
    const written = await readFile(file, 'utf8')
    const [kept] = JSON.parse(written).runs
    expect(kept).toMatchObject({
      gpu: 'a10',
      spec: { microBatch: 8 },
      measured: { samplesPerSecond: 90 },
      from: 'state.json',
    })
    await using other = await workspace({
      [calibration]: written
        .replace(`"samplesPerSecond": ${kept.estimated.samplesPerSecond}`, '"samplesPerSecond": 50')
        .replace(`"toolVersion": "${kept.toolVersion}"`, '"toolVersion": "0.0.1"'),
    })
    expect((await checked(other)).calibration).toMatchObject({ otherVersions: 1, speed: { factor: 1.8 } })
    expect(await other.run('calibrate')).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(await readFile(path.join(other.folder, calibration), 'utf8'))).toEqual(JSON.parse(written))
  })

  test('says how the file is found where the settings do not name it', async () => {
    await using within = await workspace({ '.github/memorymark.yml': 'gpu: a10\n', 'state.json': state(90) })
    const { stdout } = await within.run('calibrate', 'state.json', '--config', 'train.yaml')
    expect(stdout).toContain(`write \`calibration: ${calibration}\` in .github/memorymark.yml`)
    expect((await checked(within)).calibration).toBeUndefined()
  })

  test.each([
    [['state.json'], {}, '--config: state.json does not say what ran. Add --config with the config that ran.'],
    [['none.json', '--config', 'train.yaml'], {}, 'none.json: it cannot be read (ENOENT)'],
    [
      ['state.json', '--config', 'train.yaml'],
      { '.github/memorymark.yml': 'runs_per_year: 3\n' },
      '--gpu: state.json does not say on which GPU it ran.',
    ],
    [
      ['other.json', '--config', 'train.yaml'],
      { 'other.json': state(90, 32) },
      'other.json: the run had a train_batch_size of 32, and the config has 8. Add --batch-size 32',
    ],
    [
      ['fast.json', '--config', 'train.yaml'],
      { 'fast.json': state(900_000) },
      /fast\.json: its speed is \S+ times what is estimated for this config on the NVIDIA A10\. Check that --config/,
    ],
    [['state.json', '--config', 'train.yaml'], { [calibration]: '{}' }, `${calibration}: schema is not what`],
  ])('%j refuses what it cannot use', async (args, files, message) => {
    await using within = await workspace({ 'state.json': state(90), ...files })
    const { exitCode, stderr } = await within.run('calibrate', ...args)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(message)
  })
})

test('a sweep that measures nothing calibrates nothing, and says so', async () => {
  const { stderr, exitCode } = await run(
    'sweep',
    'bert',
    '--engine',
    'estimate',
    '--calibrate',
    '--no-settings',
    '--fail-on',
    'never',
  )
  expect(exitCode).toBe(0)
  expect(stderr).toContain('Nothing was timed on a GPU, so nothing is calibrated.')
})
