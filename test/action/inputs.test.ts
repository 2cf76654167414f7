import { describe, expect, it } from 'vitest'
import { readGpu, readInputs } from '../../action/inputs.ts'
import { describedGpu } from '../../engine/gpus/described.ts'

const defaults: Readonly<Record<string, string>> = {
  'github-token': 'token',
  comment: 'auto',
  'report-path': 'memorymark-report.json',
}

const ours = describedGpu({
  name: 'our card',
  memoryGib: 16,
  bandwidthGbPerSecond: undefined,
  fp32Tflops: undefined,
  tf32Tflops: undefined,
  fp16Tflops: undefined,
  bf16Tflops: undefined,
  linkGbPerSecond: undefined,
  describedAt: '.github/memorymark.yml, line 2',
})

function read(inputs: Readonly<Record<string, string>> = {}) {
  return readInputs(name => inputs[name] ?? defaults[name] ?? '')
}

describe('the inputs', () => {
  it('become what the engine takes', () => {
    const policy = { 'fail-on': 'waste > 40 %', 'warn-on': 'never' }
    const inputs = read({
      ...policy,
      gpu: 'h100',
      'hours-per-run': '2.5',
      'runs-per-year': '40',
      'price-per-hour': '0.75',
    })
    expect(inputs.analysis).toMatchObject({
      policy: { failOn: [{ kind: 'waste', abovePercent: 40 }], warnOn: [] },
      hoursPerRun: 2.5,
      runsPerYear: 40,
      pricePerHourUsd: 0.75,
    })
  })

  it('leave to the settings of the repository, and then to the engine, what is empty', () => {
    expect(read().analysis).toEqual({ policy: {} })
    expect(read({ 'warn-on': 'never' }).analysis).toEqual({ policy: { warnOn: [] } })
  })

  it('take globs one a line or with commas between', () => {
    expect(read({ paths: 'a/**/*.yaml, b.json\n\n  c.yml ' }).paths).toEqual(['a/**/*.yaml', 'b.json', 'c.yml'])
    expect(read().paths).toBeUndefined()
  })
})

describe('an input that is not allowed is refused by name', () => {
  it.each([
    [{ comment: 'sometimes' }, 'input comment: "sometimes" is not one of its values. Use auto, always, never.'],
    [{ 'fail-on': 'waste > lots' }, 'input fail-on: "waste > lots" is not a condition.'],
    [{ 'warn-on': 'memory > 3 %' }, 'input warn-on: "memory > 3 %" is not a condition.'],
    [{ 'github-token': '' }, "input github-token: It is empty. Omit it to use the job's own token."],
    [{ 'report-path': '' }, 'input report-path: It is empty.'],
    [{ paths: '!a.yaml' }, 'input paths: "!a.yaml" excludes files, which is not supported.'],
    [{ 'hours-per-run': '-1' }, 'input hours-per-run: "-1" is not a number above 0 and up to 1,000,000.'],
    [{ 'runs-per-year': '0' }, 'input runs-per-year: "0" is not a number above 0 and up to 1,000,000.'],
    [{ 'price-per-hour': '$2' }, 'input price-per-hour: "$2" is not a number above 0 and up to 1,000,000.'],
    [{ 'price-per-hour': '1e3' }, 'input price-per-hour: "1e3" is not a number above 0 and up to 1,000,000.'],
  ])('%o', (inputs, message) => {
    expect(() => read(inputs)).toThrow(message)
  })
})

describe('the GPU that an input names', () => {
  it('is one of the catalogue, or one that the settings describe', () => {
    expect(read({ gpu: 'our card' }).gpu).toBe('our card')
    expect(readGpu('gpu', 'H100', [])).toMatchObject({ id: 'h100' })
    expect(readGpu('gpu', 'Our Card', [ours])).toBe(ours)
  })

  it('is refused by name where neither knows it', () => {
    expect(() => readGpu('gpu', 'a100-40', [ours])).toThrow(
      /^input gpu: "a100-40" is not in the catalogue, and the settings do not describe it\. .*Known: .*a100-40gb.*our card\.$/,
    )
  })
})
