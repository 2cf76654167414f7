import { describe, expect, test } from 'vitest'
import { commentMarker, renderComment } from '../../engine/render/comment.ts'
import type { ConfigResult } from '../../engine/report/schema.ts'
import { fine, levers, point, reportOf, slow, tooLarge, unreadable, wasteful } from './fixtures.ts'
import { structure, toHtml } from './rendered.ts'

function never(): never {
  throw new Error('no levers')
}

function comment(...configs: ConfigResult[]): string {
  return renderComment(reportOf(configs)) ?? ''
}

describe('the comment as it reads', () => {
  test.each([
    ['waste', [wasteful(), fine()]],
    ['fine', [fine()]],
    ['does-not-fit', [tooLarge()]],
    ['levers', [tooLarge({ levers: [...levers] })]],
    ['not-analysed', [unreadable(), fine()]],
    ['everything', [unreadable(), fine(), slow(), wasteful(), tooLarge()]],
  ])('%s', async (name, configs) => {
    await expect(`${comment(...configs)}\n`).toMatchFileSnapshot(`golden/comment-${name}.md`)
  })
})

describe('the comment', () => {
  test('is not written where there is no config', () => {
    expect(renderComment(reportOf([]))).toBeUndefined()
  })

  test('starts with its marker, then the verdict over all configs', () => {
    const [marker, blank, verdict] = comment(wasteful(), fine()).split('\n')
    expect(marker).toBe(commentMarker)
    expect(blank).toBe('')
    expect(verdict).toBe('### 🟥 MemoryMark: 1 of 2 training configs wastes its GPU')
  })

  test('puts what runs out of memory first and what could not be analysed last', () => {
    const text = comment(unreadable(), fine(), wasteful(), tooLarge())
    const order = ['gpt2-large.yaml', 'bert-mnli.yaml', 'gpt2-wikitext.yaml', 'broken.yaml'].map(name =>
      text.indexOf(name),
    )
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order).not.toContain(-1)
  })

  test('says that the effective batch stays', () => {
    expect(comment(wasteful())).toContain('Micro-batch **16 → 128**, accumulation 8 → 1: same effective batch')
  })

  test('cautions where the effective batch changes', () => {
    const text = comment(wasteful({ current: point({}), recommended: point({ microBatch: 128 }) }))
    expect(text).toContain(
      'effective batch 16 → 128 (this changes the training: revisit the learning rate and the number of steps)',
    )
  })

  test('a card with more memory is offered as such, not as one that is enough', () => {
    const { rightSizing } = wasteful()
    expect(comment(wasteful())).toContain('This config needs only 2.40 GiB: a T4')
    expect(comment(tooLarge(rightSizing && { rightSizing }))).toContain('This config needs 31.2 GiB: a T4')
  })

  test('says how much is needed of how much, and the largest that fits, where it does not fit', () => {
    const text = comment(tooLarge())
    expect(text).toContain('### 🟥 MemoryMark: the training config runs out of memory: needs 31.2 of 21.7 GiB')
    expect(text).toContain('The largest micro-batch that fits is 9, not 12, with samples of 128 tokens.')
  })

  test('says that the largest is without accumulation, where the config accumulates', () => {
    const { current, ...rest } = tooLarge()
    expect(comment({ ...rest, current: { ...current, gradientAccumulation: 2 } })).toContain(
      'Without gradient accumulation, the largest micro-batch that fits is 9, with samples of 128 tokens. Micro-batch **12 → 7**: effective batch',
    )
  })

  test('says that not even one sample fits', () => {
    const { recommended: _recommended, largest: _largest, ...hopeless } = tooLarge()
    const text = comment(hopeless)
    expect(text).toContain('Not even one sample of 128 tokens fits.')
    expect(text).not.toContain('recommended')
  })

  test('shows no throughput and no saving for a batch that cannot run', () => {
    const text = comment(tooLarge({ speedup: 3, savingsPerYearUsd: 500 }))
    expect(text).not.toContain('3.0×')
    expect(text).not.toContain('$500')
  })

  test('calls a measured throughput measured and a modelled one modelled', () => {
    expect(comment(wasteful())).toContain('1.3–1.7× the throughput')
    expect(comment(wasteful())).toContain('| samples/s (modelled)')
    const measured = comment(
      wasteful({
        provenance: 'measured',
        errorBandPercent: 0,
        throughputProvenance: 'measured',
        ratioBand: { low: 1, high: 1 },
      }),
    )
    expect(measured).toContain('batch, 1.4× the throughput')
    expect(measured).toContain('| samples/s (measured)')
    expect(measured).toContain('*Memory measured; throughput measured.*')
  })

  test('names what is still to be had in a config that is within policy', () => {
    const text = comment(wasteful({ verdict: { state: 'fine', reasons: [] } }))
    expect(text).toContain('micro-batch 128 would bring 1.3–1.7× the throughput and $20–50 a year less, within policy')
  })

  test('names the conditions that blocked, not those that only remark', () => {
    const text = comment(wasteful(), slow())
    expect(text).toContain('<sub>Blocked by `fail-on: waste > 40 %` ·')
    expect(comment(slow())).toContain('<sub>Warning raised by `warn-on: throughput-loss > 5 %` ·')
    expect(comment(fine())).toContain('<sub>MemoryMark 0.1.0</sub>')
  })

  test('promises a measurement only when told to', () => {
    expect(comment(wasteful())).not.toMatch(/GPU run|replace/i)
    const told = renderComment(reportOf([wasteful()]), { statusNote: 'Being measured on the GPU runner @now.' })
    expect(told).toContain('*Being measured on the GPU runner @\u2060now.*')
  })

  test('links the method only on the web', () => {
    const withUrl = (howMeasuredUrl: string) => renderComment(reportOf([fine()]), { howMeasuredUrl })
    expect(withUrl('https://example.com/how')).toContain('<a href="https://example.com/how">how this is measured</a>')
    expect(withUrl('javascript:alert(1)')).not.toContain('href')
  })

  test('draws the memory against the limit of the GPU', () => {
    const text = comment(wasteful())
    expect(text).toContain('  x-axis "micro-batch" [64, 128, 256, 288]')
    expect(text).toContain('  bar [6.1, 10.8, 20.4, 22.8]')
    expect(text).toContain('  line [21.7, 21.7, 21.7, 21.7]')
  })

  test('lists every problem of a file with its place, field and remedy', () => {
    const one = unreadable().problems
    const text = comment({ ...unreadable(), problems: [...one, ...one] })
    expect(text).toContain(
      '- Line 7, column 30, `per_device_train_batch_size`: the batch size is "sixteen", not a whole number. Write a number from 1 to 1,000,000.',
    )
  })
})

describe('before anything is unfolded', () => {
  const visible = (text: string) => text.replace(/<details>.*<\/details>/s, 'Figures')
  /** As GitHub shows them: about 100 characters in a line. */
  const lines = (text: string) =>
    visible(text)
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('<!--') && !line.startsWith('```'))
      .reduce((sum, line) => sum + Math.ceil(line.length / 100), 0)

  test.each([
    ['one config that does not fit', [tooLarge()]],
    ['one config with levers', [tooLarge({ levers: [...levers] })]],
    ['40 with levers', times(40, index => tooLarge({ path: `configs/${index}.yaml`, levers: [...levers] }))],
    ['one of each', [unreadable(), fine(), slow(), wasteful(), tooLarge()]],
    ['40 that do not fit', times(40, index => tooLarge({ path: `configs/llm/size-${index}.yaml` }))],
    ['40 that could not be read', times(40, index => unreadable({ file: `configs/llm/${index}.yaml` }))],
    [
      '500 of each',
      times(500, index => [wasteful({ path: `w${index}.yaml` }), fine({ path: `f${index}.yaml` })]).flat(),
    ],
  ])('a comment on %s has at most 25 lines', (_, configs) => {
    expect(lines(comment(...configs))).toBeLessThanOrEqual(25)
  })

  test('at most three levers are there, of a config that is alone; beside others only the best', () => {
    const one = visible(comment(tooLarge({ levers: [...levers] })))
    expect(one).toContain('- **1.** Micro-batch 12 → 6: 17.0 GiB, fits, 0.80–1.1× the speed, training unchanged')
    expect(one).toContain('- **3.** 8-bit optimizer and expandable segments: 21.2 GiB, may fit, training rounded more')
    expect(one).not.toContain('RTX A6000')
    const several = visible(
      comment(tooLarge({ levers: [...levers] }), tooLarge({ path: 'b.yaml', levers: [...levers] })),
    )
    expect(several.match(/^- \*\*\d\.\*\* /gm)).toHaveLength(1)
  })

  test('a lever whose changed lines are the diff above is not said twice, and the others keep their numbers', () => {
    const change = [
      { line: 3, before: '  micro_batch_size: 12', after: '  micro_batch_size: 6' },
      { line: 6, before: '  gradient_accumulation_steps: 1', after: '  gradient_accumulation_steps: 2' },
    ]
    const one = visible(comment(tooLarge({ change, levers: [...levers] })))
    expect(one).toContain('Other ways to fit into memory, each by itself:')
    expect(one).toContain('- **2.** Gradient checkpointing: 18.1 GiB, fits')
    expect(one).not.toContain('**1.**')
    const withoutDiff = visible(comment(tooLarge({ change: undefined, levers: [...levers] })))
    expect(withoutDiff).toContain('- **1.** Micro-batch 12 → 6')
  })

  test('the three gravest are there, and the others counted', () => {
    const text = visible(comment(...times(9, index => wasteful({ path: `w${index}.yaml` })), tooLarge(), unreadable()))
    expect(text).toContain('gpt2-large.yaml')
    expect(text.match(/wastes its GPU\./g)).toHaveLength(2)
    expect(text).toContain('…and 7 to look at, 1 not analysed, below.')
  })

  test('configs that are fine share one line', () => {
    expect(visible(comment(...times(9, index => fine({ path: `f${index}.yaml` }))))).toContain(
      '🟩 `f0.yaml`, `f1.yaml`, `f2.yaml` and 6 more fit and are within policy.',
    )
  })

  test('the lines to change stand there in the config’s own keys, of one config or of two', () => {
    const diff = [
      '```diff',
      '@@ line 4 @@',
      '-per_device_train_batch_size: 16',
      '+per_device_train_batch_size: 128',
      '-gradient_accumulation_steps: 8',
      '+gradient_accumulation_steps: 1',
      '```',
    ].join('\n')
    expect(visible(comment(wasteful()))).toContain(diff)
    expect(visible(comment(wasteful(), tooLarge())).match(/```diff/g)).toHaveLength(2)
    expect(visible(comment(wasteful(), tooLarge(), slow())).match(/```diff/g)).toHaveLength(1)
  })

  test('no line is shown that hides something', () => {
    const [first] = wasteful().change ?? []
    const hidden = { line: 4, before: 'batch_size: 16', after: 'batch_size: 128 # \u202e' }
    expect(first).toBeDefined()
    expect(comment(wasteful({ change: [hidden] }))).not.toContain('```diff')
  })

  test('nor one of a lever', () => {
    const [lever] = levers
    const hidden = [{ line: 3, before: 'micro_batch_size: 12', after: ['micro_batch_size: 6 # \u202e'] }]
    const forged = { ...(lever ?? never()), lines: hidden, environment: 'A=1\n```\n@octocat' }
    const text = comment(tooLarge({ levers: [forged], change: undefined }))
    expect(text).not.toContain('```diff')
    expect(text).not.toContain('octocat')
  })

  test('that no GPU is named is said once', () => {
    const unnamed = times(3, index => wasteful({ path: `w${index}.yaml`, assumed: ['gpu'], cardFits: [] }))
    expect(visible(comment(...unnamed)).match(/No GPU is named/g)).toHaveLength(1)
  })

  test('that a job names a GPU of which there are two is said instead, with its line', () => {
    const askedGpu =
      'sft.slurm, line 3, asks for a100, which is the A100 with 40 GB or the one with 80 GB: write which.'
    const text = visible(comment(wasteful({ assumed: ['gpu'], cardFits: [], askedGpu })))
    expect(text).toContain(askedGpu.replace(': write which.', ''))
    expect(text).not.toContain('No GPU is named')
  })

  test('a config alone that is fine leaves nothing to unfold', () => {
    expect(comment(fine())).not.toContain('<details>')
  })
})

describe('a comment within 65,536 characters', () => {
  const longName = (index: number) => `configs/${'very-long-folder-name/'.repeat(20)}${index}.yaml`

  function expectWhole(text: string): void {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536)
    const tags = structure(toHtml(text))
    expect(tags.filter(tag => tag === 'details').length).toBe(tags.filter(tag => tag === '/details').length)
    expect(text.match(/^```/gm)?.length ?? 0).toSatisfy((fences: number) => fences % 2 === 0)
    expect(text).toMatch(/<\/sub>$/)
  }

  test('holds 40 wasteful configs with long names: each has its table, the gravest keep their details', () => {
    const text = comment(tooLarge(), ...times(39, index => wasteful({ path: longName(index) })))
    expectWhole(text)
    expect(text.match(/^\| micro-batch × accumulation/gm)).toHaveLength(40)
    expect(text.indexOf('<details>')).toBeLessThan(text.indexOf('38.yaml'))
    expect(text).toContain('…and 37 to look at, below.')
    expect(text).not.toContain('in the report')
  })

  test('counts what is left of 5,000 configs of every kind', () => {
    const text = comment(
      ...times(2_000, index => wasteful({ path: longName(index) })),
      ...times(1_500, index => fine({ path: longName(index) })),
      ...times(1_499, index => unreadable({ file: longName(index) })),
      tooLarge(),
    )
    expectWhole(text)
    expect(text).toContain('gpt2-large.yaml')
    expect(text).toMatch(/…and 4,8\d\d more, all in the report: 1,96\d to look at, 1,460 fine, 1,459 not analysed\./)
  })

  test('holds when every string is as long as the schema allows', () => {
    const wide = '𝕏'.repeat(2_048)
    const problem = { code: 'x', message: '𝕏'.repeat(1_000), fix: '$'.repeat(2_000), field: '|'.repeat(500) }
    expectWhole(
      comment(
        ...times(60, () => wasteful({ path: wide, assumptions: times(30, () => '$'.repeat(500)) })),
        ...times(60, () => ({ ...unreadable(), path: wide, problems: times(50, () => problem) })),
      ),
    )
  })
})

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}
