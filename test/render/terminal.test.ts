import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { renderTerminal } from '../../engine/render/terminal.ts'
import { fine, point, reportOf, tooLarge, unreadable, wasteful } from './fixtures.ts'

/** As where the output is no terminal. */
const plain = { color: false, columns: 100, tableColumns: Number.POSITIVE_INFINITY }

describe('the report in a terminal', () => {
  test('shows a wasteful config with bars, parts, advice and how it is known', () => {
    expect(renderTerminal(reportOf([wasteful()]), plain).split('\n')).toEqual([
      'blocked configs/bert-mnli.yaml',
      '  now         16 × 8    ███▍░░░░░░░░░░░░░░░░░░░░░░░░░░ 2.40 of 21.7 GiB (11 %), 310 samples/s modelled',
      '  recommended 128 × 1   ██████████████▉░░░░░░░░░░░░░░░ 10.8 of 21.7 GiB (50 %), 430 samples/s modelled',
      '  largest     256 × 1   ████████████████████████████▎░ 20.4 of 21.7 GiB (94 %), 432 samples/s modelled',
      '  Memory: optimizer state 0.82 GiB, activations 0.70 GiB, weights 0.41 GiB, gradients 0.41 GiB,',
      '  temporaries 0.05 GiB, library workspace 0.02 GiB, inputs under 0.01 GiB; 19.3 GiB of the GPU is',
      '  idle.',
      '  Micro-batch 16 → 128, accumulation 8 → 1: same effective batch, 1.3–1.7× the throughput, $20–50 a',
      '  year less.',
      '  A cheaper GPU is enough: T4 at $0.35 an hour, $0.90 per run.',
      '  A10; memory estimated, ±3 %; throughput modelled; $0.60 an hour (2026-11-01), 2 hours per run, 100',
      '  runs per year.',
      '',
      'MemoryMark: the training config wastes its GPU.',
    ])
  })

  test('says what a larger effective batch would bring, once the recommendation has kept the old one', () => {
    const beyond = point({ microBatch: 192, effectiveBatch: 192, samplesPerSecond: 473 })
    expect(renderTerminal(reportOf([{ ...wasteful(), beyond }]), plain).split('\n')).toEqual(
      expect.arrayContaining([
        '  Going further, micro-batch 128 → 192 would bring up to 1.3× the throughput again, with effective',
        '  batch 128 → 192 (this changes the training: revisit the learning rate and the number of steps).',
      ]),
    )
  })

  test('shows a fine config in one bar and says that nothing is to gain', () => {
    expect(
      renderTerminal(reportOf([fine()]), plain)
        .split('\n')
        .slice(0, 3),
    ).toEqual([
      'fine configs/gpt2-wikitext.yaml',
      '  now         16 × 1    ███████████████████████████▌░░ 19.9 of 21.7 GiB (92 %), 24 samples/s modelled',
      '  Nothing to gain.',
    ])
  })

  test('says what runs out of memory and by how much', () => {
    const output = renderTerminal(reportOf([tooLarge()]), plain)
    expect(output).toContain(
      'out of memory configs/gpt2-large.yaml\n  now         12 × 1    ██████████████████████████████ 31.2 of 21.7 GiB (144 %)\n',
    )
    expect(output.replaceAll('\n  ', ' ')).toContain('9.50 GiB too much.')
  })

  test('places a problem at file:line:column with its field', () => {
    expect(renderTerminal(reportOf([unreadable()]), { color: false, columns: 200 })).toContain(
      'not analysed configs/broken.yaml\n  configs/broken.yaml:7:30 (per_device_train_batch_size): the batch size is "sixteen", not a whole number. Write a number from 1 to 1,000,000.',
    )
  })

  test('says what each of several GPUs takes, what all of them take, and what all of them cost', () => {
    const config = wasteful()
    const several = { ...config, spec: { ...config.spec, gpus: 4, sharding: 'fsdp' as const } }
    const text = renderTerminal(reportOf([several]), { color: false, columns: 400 })
    expect(text).toContain('\n  4 GPUs (fsdp), each as above; in all 9.60 of 86.8 GiB, 1,240 samples/s modelled.\n')
    expect(text).toContain('$0.60 an hour (2026-11-01), $2.40 for all 4 GPUs, 2 hours per run')
  })

  test('names the file of a problem that is not in the config, once', () => {
    const inScript = (message: string) => {
      const [problem] = unreadable().problems
      return { ...unreadable(), problems: [{ ...problem!, file: 'src/load.py', line: 91, column: 20, message }] }
    }
    const line = (message: string) => {
      const report = reportOf([inScript(message)])
      const details = new Map(report.configs.map(config => [config, 'line'] as const))
      return renderTerminal(report, { color: false, columns: 110, details }).split('\n')[1]
    }
    expect(line('no model')).toMatch(
      /^not analysed {2}configs\/broken\.yaml {2}src\/load\.py, line 91, column 20: no model$/,
    )
    expect(line('no model (line 91 of src/load.py)')).toMatch(/broken\.yaml {2}no model \(line 91 of src\/load\.py\)$/)
  })

  test('gives configs a line each when told, gravest first, no wider than the terminal', () => {
    const report = reportOf([fine(), wasteful(), unreadable(), tooLarge()])
    const details = new Map(report.configs.map(config => [config, 'line'] as const))
    const table = (columns: number) =>
      renderTerminal(report, { color: false, columns, details }).split('\n\n')[0]!.split('\n')
    expect(table(110)).toEqual([
      '               config                      memory            batch             speed     to save',
      'out of memory  configs/gpt2-large.yaml     31.2 of 21.7 GiB  12 × 1 → 7 × 2',
      'blocked        configs/bert-mnli.yaml      2.40 of 21.7 GiB  16 × 8 → 128 × 1  1.3–1.7×  $20–50 a year',
      'not analysed   configs/broken.yaml         line 7, column 30: the batch size is "sixteen", not a whole number',
      'fine           configs/gpt2-wikitext.yaml  19.9 of 21.7 GiB  16 × 1',
    ])
    // Verdict, memory and batch stay where the path has to be cut for them.
    expect(table(60)).toEqual([
      '               config               memory  batch',
      'out of memory  config…2-large.yaml  144 %   12 × 1 → 7 × 2',
      'blocked        config…rt-mnli.yaml  11 %    16 × 8 → 128 × 1',
      'not analysed   configs/broken.yaml  line 7, column 30: the …',
      'fine           config…ikitext.yaml  92 %    16 × 1',
    ])
    for (const columns of [40, 60, 80, 200]) {
      expect(Math.max(...table(columns).map(line => line.length))).toBeLessThanOrEqual(columns)
      expect(table(columns)).toHaveLength(5)
    }
    const colored = renderTerminal(report, { color: true, columns: 60, details })
    expect(stripVTControlCharacters(colored)).toBe(renderTerminal(report, { color: false, columns: 60, details }))
  })

  test('judges nothing where nothing acts on it', () => {
    const text = renderTerminal(reportOf([wasteful(), tooLarge()]), { ...plain, judges: false })
    expect(text).toMatch(/^fits configs\/bert-mnli\.yaml$/m)
    expect(text).toMatch(/^out of memory configs\/gpt2-large\.yaml$/m)
    expect(text).not.toMatch(/block|MemoryMark:/)
  })

  test('says so where there is no config', () => {
    expect(renderTerminal(reportOf([]), plain)).toBe('No training config found: nothing to measure.')
  })

  test('colours only when asked, and changes no word by it', () => {
    const report = reportOf([wasteful(), fine(), tooLarge(), unreadable()])
    const colored = renderTerminal(report, { ...plain, color: true })
    expect(colored).toContain('\u001B[31mblocked\u001B[39m')
    expect(colored).toContain('\u001B[32mfine\u001B[39m')
    expect(stripVTControlCharacters(colored)).toBe(renderTerminal(report, plain))
  })

  test('wraps bars and sentences at the width and leaves paths whole', () => {
    const path = `configs/${'deep/'.repeat(15)}bert.yaml`
    const lines = renderTerminal(reportOf([wasteful({ path })]), { color: false, columns: 60 }).split('\n')
    expect(lines[0]).toBe(`blocked ${path}`)
    expect(Math.max(...lines.filter(line => !line.includes('deep')).map(line => line.length))).toBeLessThanOrEqual(60)
  })
})
