import { symlink, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { report } from '../../engine/report/schema.ts'
import { run, Workspace } from './run-cli.ts'

const fine = 'memorymark:\n  model: bert\n  batch_size: 256\n  sequence_length: 128\n  optimizer: sgd\n'
const wasteful = 'memorymark:\n  model: bert\n  batch_size: 1\n  gradient_accumulation: 16\n  sequence_length: 128\n'
const tooLarge = 'memorymark:\n  model: gpt2-xl\n  batch_size: 64\n  sequence_length: 1024\n'

describe.concurrent('the exit code of check', () => {
  test.each([
    ['0 where no training config is found', { 'a.yaml': 'name: docs\n' }, [], 0],
    ['1 where a config wastes its GPU', { 'a.yaml': wasteful }, ['--gpu', 'a10'], 1],
    ['0 where a config wastes a GPU that nobody named', { 'a.yaml': wasteful }, [], 0],
    ['1 where a config does not fit', { 'a.yaml': tooLarge }, ['--gpu', 'a10'], 1],
    ['0 where a config does not fit a GPU that nobody named', { 'a.yaml': tooLarge }, [], 0],
    ['0 where waste is allowed', { 'a.yaml': wasteful }, ['--gpu', 'a10', '--fail-on', 'never'], 0],
    [
      '1 where a config does not fit, whatever else is allowed',
      { 'a.yaml': tooLarge },
      ['--gpu', 'a10', '--fail-on', 'does-not-fit'],
      1,
    ],
    [
      '0 where nothing is to block, whatever is found in configs',
      { 'a.yaml': tooLarge, 'b.yaml': wasteful, 'c.yaml': 'memorymark:\n  batch_size: 8\n' },
      ['a.yaml', 'b.yaml', 'c.yaml', '--gpu', 'a10', '--fail-on', 'never'],
      0,
    ],
    [
      '2 where a config that the user names cannot be read',
      { 'a.yaml': fine, 'b.yaml': 'memorymark:\n  batch_size: 8\n' },
      ['b.yaml'],
      2,
    ],
    [
      '0 where a config that was found cannot be read',
      { 'a.yaml': fine, 'b.yaml': 'memorymark:\n  batch_size: 8\n' },
      [],
      0,
    ],
    [
      '1 where one cannot be read and another is blocked',
      { 'a.yaml': wasteful, 'b.yaml': 'memorymark:\n  batch_size: 8\n' },
      ['--gpu', 'a10'],
      1,
    ],
  ] as const)('is %s', async (_, files, flags, exitCode) => {
    await using workspace = await Workspace.with(files)
    expect((await workspace.run('check', ...flags)).exitCode).toBe(exitCode)
  })
})

describe.concurrent('check', () => {
  test('prints a report by the schema with --json, paths relative to the working directory', async () => {
    await using workspace = await Workspace.with({ 'configs/a.yaml': wasteful, 'configs/b.json': '{"a": 1}' })
    const { stdout, stderr } = await workspace.run('check', 'configs', '--json', '--fail-on', 'waste > 99.9 %')
    const { configs, policy } = report.parse(JSON.parse(stdout))
    expect(configs.map(({ path }) => path)).toEqual(['configs/a.yaml'])
    expect(policy.failOn).toEqual([{ kind: 'waste', abovePercent: 99.9 }])
    expect(stderr).toBe('')
  })

  test('leaves the dependencies of a project alone', async () => {
    await using workspace = await Workspace.with({
      'node_modules/x/train.yaml': wasteful,
      '.git/train.yaml': wasteful,
      'venv/train.yaml': wasteful,
    })
    const { configs } = report.parse(JSON.parse((await workspace.run('check', '--json')).stdout))
    expect(configs).toEqual([])
  })

  test('judges on the GPU, the price and the hours that it is told', async () => {
    await using workspace = await Workspace.with({ 'a.yaml': wasteful })
    const flags = ['--gpu', 'H100', '--price-per-hour', '3', '--hours-per-run', '4', '--runs-per-year', '10']
    const { configs } = report.parse(JSON.parse((await workspace.run('check', '--json', ...flags)).stdout))
    expect(configs[0]).toMatchObject({
      gpu: { id: 'h100', pricePerHourUsd: 3 },
      hoursPerRun: 4,
      runsPerYear: 10,
      current: { costPerRunUsd: 12 },
    })
  })

  test('leaves a config that is beyond every limit without figures, and judges the others', async () => {
    await using workspace = await Workspace.with({
      'a.yaml': wasteful,
      'hostile/config.json': '{"model_type": "bert", "num_hidden_layers": 10000000}',
      'hostile/train.yaml': 'model_name_or_path: hostile\nper_device_train_batch_size: 4\n',
      'z.yaml': wasteful,
    })
    const { stdout, exitCode } = await workspace.run('check', '--json', '--gpu', 'a10')
    const { configs } = report.parse(JSON.parse(stdout))
    expect(configs.map(({ path, status }) => [path, status])).toEqual([
      ['a.yaml', 'analysed'],
      ['hostile/train.yaml', 'not-analysed'],
      ['z.yaml', 'analysed'],
    ])
    expect(exitCode).toBe(1)
  })

  test('reads no file of more than 16 MiB, named or found', async () => {
    await using workspace = await Workspace.with({
      'a.yaml': wasteful,
      'big.yaml': `${wasteful}#${' '.repeat(2 ** 24)}`,
    })
    const { configs } = report.parse(JSON.parse((await workspace.run('check', '--json')).stdout))
    expect(configs.map(({ path }) => path)).toEqual(['a.yaml'])
    const { stderr, exitCode } = await workspace.run('check', 'big.yaml')
    expect(stderr).toMatch(/^big\.yaml: the file is larger than 16 MiB/)
    expect(exitCode).toBe(2)
  })

  test('refuses a file of 200 MB by its size alone', async () => {
    await using workspace = await Workspace.with({ 'weights.yaml': '' })
    // Without blocks on the disk.
    await truncate(path.join(workspace.folder, 'weights.yaml'), 200_000_000)
    const { stderr, exitCode } = await workspace.run('check', 'weights.yaml')
    expect(stderr).toMatch(/^weights\.yaml: the file is larger than 16 MiB/)
    expect(exitCode).toBe(2)
  })

  test('gives several that it finds a line each, gravest first, and those that are named in full', async () => {
    await using workspace = await Workspace.with({ 'a.yaml': fine, 'b.yaml': wasteful, 'c.yaml': tooLarge })
    const lines = (await workspace.run('check', '--gpu', 'a10')).stdout.split('\n')
    expect(lines.slice(0, 5)).toEqual([
      expect.stringMatching(/^ +config +memory +batch +speed +to save$/),
      expect.stringMatching(/^out of memory +c\.yaml +\S+ of 21\.8 GiB +64 × 1/),
      expect.stringMatching(/^blocked +b\.yaml +\S+ of 21\.8 GiB +1 × 16 → \d+ × \d +\S+× +\$\S+ a year$/),
      expect.stringMatching(/^fine +a\.yaml +\S+ of 21\.8 GiB +256 × 1/),
      '',
    ])
    expect(lines).toContain(
      'Memory is estimated, speed and savings are modelled. Name a file to see it in full, or add --details.',
    )
    const named = (await workspace.run('check', 'b.yaml', '.', '--gpu', 'a10')).stdout
    expect(named).toMatch(/^blocked b\.yaml\n {2}now /)
    expect(named).toMatch(/^fine +a\.yaml/m)
    expect((await workspace.run('check', '--details')).stdout).toMatch(/^fine a\.yaml\n {2}now /m)
  })

  test('says only what is not fine with --quiet, and ends with the same code', async () => {
    await using workspace = await Workspace.with({ 'a.yaml': fine, 'b.yaml': tooLarge })
    const { stdout, exitCode } = await workspace.run('check', '--quiet', '--gpu', 'a10')
    expect(stdout).toMatch(/^out of memory b\.yaml\n/)
    expect(stdout).toContain('MemoryMark: 1 of 2 training configs runs out of memory.')
    expect(stdout).not.toContain('a.yaml')
    expect(exitCode).toBe(1)
    expect(await workspace.run('check', 'a.yaml', '-q', '--gpu', 'a10')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('says what lists every lever where a config does not fit, and only there', async () => {
    await using workspace = await Workspace.with({ 'a.yaml': tooLarge, 'b.yaml': fine })
    const hint = 'memorymark advise a.yaml lists every way to free memory.'
    expect((await workspace.run('check', '--gpu', 'a10')).stdout.trimEnd().endsWith(hint)).toBe(true)
    expect((await workspace.run('check', 'b.yaml', '--gpu', 'a10')).stdout).not.toContain('advise')
  })

  test('says what lists the assumptions where a verdict rests on them, and only there', async () => {
    const ownKeys = 'base_model_id: mistralai/Mistral-7B-v0.1\nbatch_size: 64\nlr: 2.0e-4\nepochs: 3\n'
    await using workspace = await Workspace.with({ 'a.yaml': tooLarge, 'b.yaml': ownKeys })
    const { stdout } = await workspace.run('check', 'b.yaml', '--gpu', 'a10')
    expect(stdout).toContain('memorymark explain b.yaml lists what was assumed.')
    expect((await workspace.run('explain', 'b.yaml')).stdout).toContain('assumed: No gradient checkpointing')
    expect((await workspace.run('check', 'a.yaml', '--gpu', 'a10')).stdout).not.toContain('explain')
  })

  test('reads a named file whatever it is called', async () => {
    await using workspace = await Workspace.with({ 'train.conf': wasteful })
    const { stdout, exitCode } = await workspace.run('check', 'train.conf', '--gpu', 'a10')
    expect(stdout).toContain('train.conf')
    expect(exitCode).toBe(1)
  })

  test('says which named file cannot be read, and why', async () => {
    await using workspace = await Workspace.with({ 'a.yaml': wasteful })
    await symlink('nowhere.yaml', path.join(workspace.folder, 'link.yaml'))
    const { stderr, exitCode } = await workspace.run('check', 'link.yaml')
    expect(stderr).toMatch(/^link\.yaml: it cannot be read \(ENOENT\)\. Check its permissions/)
    expect(exitCode).toBe(2)
  })

  test('refuses a named file that is no training config', async () => {
    await using workspace = await Workspace.with({ 'docs.yaml': 'name: docs\n' })
    const { stderr, exitCode } = await workspace.run('check', 'docs.yaml')
    expect(stderr).toMatch(/^docs\.yaml: this is not a training config\. It sets no batch size .*\. Name a file/)
    expect(exitCode).toBe(2)
  })

  test.each([
    [['nowhere'], 'nowhere: no such file or directory. Check the path'],
    [['a.yml'], 'a.yml: no such file or directory. Did you mean a.yaml? Check the path'],
    [['--gpu', 'a11'], '--gpu: "a11" is not a GPU in the catalogue. Did you mean a10?'],
    [['--fail-onn', 'never'], '"--fail-onn" is not an option. Did you mean --fail-on?'],
    [['--fail-on', 'nonsense'], '--fail-on: "nonsense" is not a condition. Write `waste > 40 %`'],
    [['--fail-on', ''], '--fail-on: "" is not a condition'],
    [['--gpu'], "Option '--gpu <value>' argument missing. Run `memorymark help`"],
    [['--hours-per-run', '0'], '--hours-per-run: "0" is not a number above 0 and up to 100,000'],
  ])('%j: says what is wrong and what to do, in one line', async (args, message) => {
    await using workspace = await Workspace.with({ 'a.yaml': fine })
    const { stdout, stderr, exitCode } = await workspace.run('check', ...args)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  })

  test('survives hostile files, tells each apart and still analyses the rest', async () => {
    const depth = 10_000
    const aliases = Array.from({ length: 20 }, (_, level) => `a${level + 1}: &a${level + 1} [*a${level}, *a${level}]`)
    await using workspace = await Workspace.with({
      'good.yaml': wasteful,
      'bomb.yaml': `memorymark: {model: bert, batch_size: 8}\na0: &a0 [x, x]\n${aliases.join('\n')}\n`,
      'deep.yaml': `memorymark: {model: bert, batch_size: 8}\nx: ${'['.repeat(depth)}${']'.repeat(depth)}\n`,
      'huge.yaml': `memorymark: {model: bert, batch_size: 8}\nx: "${'y'.repeat(5 * 2 ** 20)}"\n`,
      'broken.json': '{"memorymark": {"model": "bert", "batch_size": 8}',
      'mention.yaml': 'memorymark:\n  model: "@team/**evil**\\u001b[31m"\n  batch_size: 8\n',
      'sizes.yaml': 'memorymark:\n  model: bert\n  batch_size: -1\n  gradient_accumulation: 1.0e+9\n',
    })
    const { stdout, stderr, exitCode } = await workspace.run('check', '--json', '--gpu', 'a10')
    const { configs } = report.parse(JSON.parse(stdout))
    expect(configs.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'bomb.yaml not-analysed',
      'broken.json not-analysed',
      'deep.yaml not-analysed',
      'good.yaml analysed',
      'huge.yaml not-analysed',
      'mention.yaml not-analysed',
      'sizes.yaml not-analysed',
    ])
    expect(stderr).toBe('')
    expect(exitCode).toBe(1)
    for (const flags of [[], ['--details']]) {
      const { stdout: text } = await workspace.run('check', ...flags)
      expect(text).not.toContain('\u001b')
      expect(text).toMatch(flags.length === 0 ? /sizes\.yaml +line 3, column 15: / : /sizes\.yaml:3:15/)
    }
  })
})

describe.concurrent('check of a config that names a file of DeepSpeed', () => {
  const config = 'model_name_or_path: gpt2\nper_device_train_batch_size: 1\nmax_length: 512\nbf16: true\n'
  const analysedOf = async (workspace: Workspace, ...args: string[]) => {
    const { stdout } = await workspace.run('check', ...args, '--json', '--fail-on', 'never')
    const [first] = report.parse(JSON.parse(stdout)).configs
    if (first?.status !== 'analysed') throw new Error(stdout)
    return first
  }

  test('goes by its content', async () => {
    await using workspace = await Workspace.with({
      'configs/train.yaml': `${config}deepspeed: configs/ds_z2.json\n`,
      'configs/ds_z2.json': '{"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}',
    })
    const { spec, assumptions, otherFiles } = await analysedOf(workspace, '.')
    expect(spec).toMatchObject({ sharding: 'zero3', offload: 'optimizer' })
    expect(assumptions).toContain('ZeRO stage 3, offloaded to the host: read from "configs/ds_z2.json".')
    expect(otherFiles?.map(({ path }) => path)).toEqual(['configs/ds_z2.json'])
  })

  test('opens nothing outside the working directory', async () => {
    await using workspace = await Workspace.with({
      'zero2.json': '{"zero_optimization": {"stage": 3}}',
      'inside/train.yaml': `${config}deepspeed: ../../zero2.json\n`,
      'inside/absolute.yaml': '',
    })
    const absolute = `${config}deepspeed: ${workspace.folder}/zero2.json\n`
    await writeFile(path.join(workspace.folder, 'inside/absolute.yaml'), absolute)
    for (const file of ['inside/train.yaml', 'inside/absolute.yaml']) {
      expect(await analysedOf(workspace, file)).toMatchObject({
        spec: { sharding: 'zero2' },
        assumptions: expect.arrayContaining([
          expect.stringMatching(/read from the name of .*; files outside the repository are not read\.$/),
        ]),
      })
    }
  })

  test('says what is wrong with one that is too large', async () => {
    await using workspace = await Workspace.with({
      'train.yaml': `${config}deepspeed: ds.json\n`,
      'ds.json': `{"zero_optimization": {}, "a": "${'x'.repeat(2 ** 20)}"}`,
    })
    const { stdout, exitCode } = await workspace.run('check', 'train.yaml', '--json')
    expect(exitCode).toBe(2)
    expect(stdout).toContain('\\"ds.json\\" is larger than the limit of 500 kB')
  })
})

describe.concurrent('the command line', () => {
  test.each([[[]], [['help']], [['--help']], [['check', '--help']]])('%j prints its usage', async args => {
    const { stdout, exitCode } = await run(...args)
    expect(stdout).toContain('memorymark check [paths…]')
    expect(exitCode).toBe(0)
  })

  test('does not know a misspelt command, and says which is meant', async () => {
    const { stderr, exitCode } = await run('estimat')
    expect(stderr).toBe('"estimat" is not a command. Did you mean estimate? Run `memorymark help` for the commands.\n')
    expect(exitCode).toBe(2)
  })

  test('does not take what every object has for a command', async () => {
    expect((await run('constructor')).stderr).toContain('"constructor" is not a command')
  })
})

describe.concurrent('the settings of the repository', () => {
  const settings = 'gpu: h100\nfail-on: never\nignore: ["old/**"]\n'

  test('are found in .github/memorymark.yml', async () => {
    await using workspace = await Workspace.with({
      '.github/memorymark.yml': settings,
      'a.yaml': wasteful,
      'old/b.yaml': wasteful,
    })
    const { stdout, exitCode } = await workspace.run('check', '--json')
    expect(report.parse(JSON.parse(stdout)).configs).toMatchObject([{ path: 'a.yaml', gpu: { id: 'h100' } }])
    expect(exitCode).toBe(0)
  })

  test('yield to options, and to a file that is named', async () => {
    await using workspace = await Workspace.with({ '.github/memorymark.yml': settings, 'old/b.yaml': wasteful })
    const flags = ['--gpu', 'l4', '--fail-on', 'waste > 40 %']
    const { stdout, exitCode } = await workspace.run('check', 'old/b.yaml', '--json', ...flags)
    expect(report.parse(JSON.parse(stdout)).configs).toMatchObject([{ path: 'old/b.yaml', gpu: { id: 'l4' } }])
    expect(exitCode).toBe(1)
  })

  test('are read from elsewhere, or not at all', async () => {
    await using workspace = await Workspace.with({
      '.github/memorymark.yml': 'gpu: nonsense\n',
      'ours.yml': settings,
      'a.yaml': wasteful,
    })
    expect((await workspace.run('check', 'a.yaml', '--settings', 'ours.yml')).exitCode).toBe(0)
    expect((await workspace.run('check', 'a.yaml', '--no-settings', '--gpu', 'a10')).exitCode).toBe(1)
  })

  test('supply what a config cannot say to check, estimate and explain alike', async () => {
    await using workspace = await Workspace.with({
      '.github/memorymark.yml': 'overrides:\n  - { path: a.yaml, model: bert, sequence_length: 128 }\n',
      'a.yaml': 'per_device_train_batch_size: 16\nmodel_name_or_path: $MODEL\n',
    })
    const sentence = 'The model is "bert", as set in .github/memorymark.yml.'
    const checked = report.parse(JSON.parse((await workspace.run('check', '--json')).stdout))
    expect(checked.configs).toMatchObject([{ assumptions: expect.arrayContaining([sentence]) }])
    expect((await workspace.run('estimate', 'a.yaml')).stdout).toContain(sentence)
    expect((await workspace.run('explain', 'a.yaml')).stdout).toContain(sentence)
    expect((await workspace.run('estimate', 'a.yaml', '--no-settings')).stderr).toContain(
      'or add model for this path to the overrides in .github/memorymark.yml.',
    )
  })

  test('with slips are refused, every slip with its line', async () => {
    await using workspace = await Workspace.with({ '.github/memorymark.yml': 'gpu: a11\nfail_on: never\n' })
    const { stderr, exitCode } = await workspace.run('check')
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^\.github\/memorymark\.yml:1:6 \(gpu\): "a11" is not a GPU in the catalogue\. Did you mean a10\?/,
      ),
      expect.stringMatching(
        /^\.github\/memorymark\.yml:2:10 \(fail_on\): Unknown key "fail_on"\. Did you mean fail-on\?/,
      ),
    ])
    expect(exitCode).toBe(2)
  })

  test.each([
    [['--settings', 'nowhere.yml'], 'nowhere.yml: no such file. Check the path'],
    [['--settings', 'a.yml', '--no-settings'], '--no-settings: it contradicts --settings.'],
  ])('%j are refused', async (flags, message) => {
    const { stderr, exitCode } = await run('check', ...flags)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(2)
  })
})
