import { describe, expect, test } from 'vitest'
import { renderCheck } from '../../engine/render/check.ts'
import { fine, reportOf, slow, tooLarge, unreadable, wasteful } from './fixtures.ts'

describe('the check', () => {
  test('is green and says so where there is nothing to measure', () => {
    expect(renderCheck(reportOf([]))).toEqual({
      title: 'No training config in this pull request: nothing to measure',
      summary: 'No training config in this pull request: nothing to measure.',
      text: '',
      conclusion: 'success',
      annotations: [],
    })
  })

  test.each([
    ['succeeds where all is fine', fine(), 'success'],
    ['is neutral, which passes, where something is remarked on', slow(), 'neutral'],
    ['fails where the policy blocks', wasteful(), 'failure'],
    ['fails where a config does not fit', tooLarge(), 'failure'],
    ['fails where a config could not be analysed', unreadable(), 'failure'],
  ])('%s', (_name, config, conclusion) => {
    expect(renderCheck(reportOf([fine(), config])).conclusion).toBe(conclusion)
  })

  test('annotates the line of the batch size, in plain text', () => {
    expect(renderCheck(reportOf([wasteful(), fine()])).annotations).toEqual([
      {
        path: 'configs/bert-mnli.yaml',
        line: 4,
        level: 'failure',
        title: 'Uses 2.40 of 21.7 GiB (11 %): micro-batch 16 on the A10',
        message:
          'Micro-batch 16 → 128, accumulation 8 → 1: same effective batch, 1.3–1.7× the throughput, $20–50 a year less. Memory estimated, ±3 %; throughput modelled.',
      },
    ])
  })

  test('annotates the first line where the config leaves the batch size to its tool', () => {
    const { batchSizeAt: _batchSizeAt, ...implicit } = slow()
    expect(renderCheck(reportOf([implicit])).annotations).toMatchObject([{ line: 1, level: 'warning' }])
  })

  test('annotates what runs out of memory with the size that fits', () => {
    const [annotation] = renderCheck(reportOf([tooLarge()])).annotations
    expect(annotation?.title).toBe('Runs out of memory: micro-batch 12 on the A10 needs 31.2 of 21.7 GiB')
    expect(annotation?.message).toMatch(
      /^The largest micro-batch that fits is 9, not 12, with samples of 128 tokens\. Micro-batch 12 → 7/,
    )
  })

  test('annotates a problem where it stands, with field and remedy', () => {
    expect(renderCheck(reportOf([unreadable()])).annotations).toEqual([
      {
        path: 'configs/broken.yaml',
        line: 7,
        level: 'failure',
        title: 'Could not be analysed',
        message:
          'per_device_train_batch_size: the batch size is "sixteen", not a whole number. Write a number from 1 to 1,000,000.',
      },
    ])
  })

  test('summarises without details and explains in the text', () => {
    const { summary, text } = renderCheck(reportOf([wasteful(), fine()]))
    expect(summary).not.toContain('<details>')
    expect(summary).toContain('`configs/gpt2-wikitext.yaml`: 19.9 of 21.7 GiB (92 %)')
    expect(text).toContain('#### `configs/bert-mnli.yaml`')
    expect(text).toContain('**Where the memory goes**')
    expect(text).not.toContain('gpt2-wikitext')
  })

  test('keeps summary and text within 65,535 characters for 5,000 configs', () => {
    const report = reportOf(
      Array.from({ length: 5_000 }, (_, index) => wasteful({ path: `configs/${'ü'.repeat(2_000)}/${index}.yaml` })),
    )
    const { summary, text, annotations } = renderCheck(report)
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(65_535)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_535)
    expect(summary).toMatch(/…and 4,9\d\d more/)
    expect(annotations).toHaveLength(5_000)
  })
})
