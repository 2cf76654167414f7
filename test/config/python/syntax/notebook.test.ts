/** A notebook is the script that its code cells are, with lines that people find by cell. */
import { describe, expect, it } from 'vitest'
import { analyze } from '../../../../engine/analyze.ts'
import { notebookOf } from '../../../../engine/config/python/syntax/notebook.ts'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import { proposeChange } from '../../../../engine/propose.ts'
import { renderSuggestion } from '../../../../engine/render/suggestion.ts'
import { renderProblem } from '../../../../engine/render/unanalysed-section.ts'

/** As Jupyter stores it: a string for each line. */
function notebook(cells: readonly string[], indent = 1): string {
  const stored = cells.map(text => ({ cell_type: 'code', outputs: [], source: text.split(/(?<=\n)/) }))
  return JSON.stringify({ cells: stored, nbformat: 4 }, undefined, indent)
}

const model =
  'from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments\nmodel = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")'
const training = (batch: string) =>
  `# "quoted" – and\ttabs\nargs = TrainingArguments("out", per_device_train_batch_size=${batch}, gradient_accumulation_steps=32)\nTrainer(model=model, args=args).train()`
const path = 'train.ipynb'

describe('a notebook', () => {
  it('says where a number stands: the line of the JSON, and the cell', async () => {
    const text = notebook([model, training('1')])
    const reading = await readConfigAsync({ path, text }, {})
    if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
    const { line, column, cell } = reading.batchSizeAt ?? { line: 0, column: 0 }
    expect(cell).toEqual({ number: 2, line: 2 })
    expect(text.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^1, gradient_accumulation/)
  })

  it.each([1, 0])('is changed inside the string of JSON, indented by %s or on one line', async indent => {
    const long = 'x = 1\n'.repeat(100)
    const file = { path, text: notebook([long, model, training('1')], indent) }
    const [config] = (await analyze([file], { now: new Date('2026-01-01') })).configs
    if (config?.status !== 'analysed') throw new Error(JSON.stringify(config))
    const proposal = await proposeChange(file, config)
    if (proposal.kind !== 'change') throw new Error(JSON.stringify(proposal))
    const { microBatch, gradientAccumulation } = config.recommended ?? config.spec
    expect(microBatch).toBeGreaterThan(1)
    const expected = training(String(microBatch)).replace('steps=32', `steps=${gradientAccumulation}`)
    expect(proposal.after).toBe(notebook([long, model, expected], indent))
    const suggestion = renderSuggestion(proposal, config)
    if (indent === 0) expect(suggestion).toBeUndefined()
    else expect(suggestion?.body).toContain(JSON.stringify(expected.split(/(?<=\n)/)[1]))
  })

  it('names cell and line of what it cannot know', async () => {
    const reading = await readConfigAsync({ path, text: notebook([model, training('int(input())')]) }, {})
    if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
    const [problem] = reading.problems
    expect(problem?.message).toContain('(cell 2, line 2)')
    expect(problem && renderProblem(path, problem)).toMatch(/^Cell 2, line 2, /)
  })

  it('has trainings told apart by cell', async () => {
    const text = notebook([model, training('1'), training('2')])
    expect(await readConfigAsync({ path, text }, {})).toMatchObject({
      kind: 'several-trainings',
      trainings: [{ cell: { number: 2, line: 3 } }, { cell: { number: 3, line: 3 } }],
    })
  })
})

describe('what only IPython understands', () => {
  it.each([
    ['a magic', '%matplotlib inline\nx = 1', 'pass\nx = 1'],
    ['a shell line that goes on', 'if a:\n    !pip install \\\n      trl\nx = 1', 'if a:\n    pass\n\nx = 1'],
    ['what a shell line gives', 'x = !ls', 'x = None'],
    ['a cell magic around Python', '%%time\nx = 1', 'pass\nx = 1'],
    ['a cell of another language', '%%html\n<b>x</b>', '\n'],
    ['a remainder is none', 'x = 7 % 4\ny = (\n  7\n  % 4)', 'x = 7 % 4\ny = (\n  7\n  % 4)'],
  ])('%s does nothing', (_, cell, text) => {
    expect(notebookOf(notebook([cell]))?.text).toBe(text)
  })
})

describe('a large notebook', () => {
  const outputs = (data: string) => [{ output_type: 'display_data', data: { 'image/png': data } }]

  it('is read, however large the images of its outputs are', async () => {
    const cells = [model, training('1')].map(source => ({
      cell_type: 'code',
      outputs: outputs('A'.repeat(7e6)),
      source,
    }))
    const text = JSON.stringify({ cells, nbformat: 4 })
    expect(await readConfigAsync({ path, text }, {})).toMatchObject({ kind: 'training-config' })
  })

  it('is read behind an output of millions of escapes', () => {
    const text = JSON.stringify({ cells: [{ cell_type: 'code', outputs: outputs('\n'.repeat(7e6)), source: 'x = 1' }] })
    expect(notebookOf(text)?.text).toBe('x = 1')
  })

  it('of more lines than a person writes is none', () => {
    const cells = [{ cell_type: 'code', source: Array(60_000).fill('x = 1\n') }]
    expect(notebookOf(JSON.stringify({ cells }))).toBeUndefined()
  })
})

describe('hostile notebooks', () => {
  it.each([
    ['a string without end', '{"cells": [{"cell_type": "code", "source": "\\'],
    ['not JSON', '{"cells": [{"cell_type": "code", "source": ["x'],
    ['nested', `${'['.repeat(100_000)}`],
    ['without cells', '{"cells": 8}'],
    ['markdown', '{"cells": [{"cell_type": "markdown", "source": "Trainer().train()"}]}'],
    ['a deeper source', '{"a": {"cells": [{"cell_type": "code", "source": "x"}]}}'],
  ])('%s are none', (_, text) => {
    expect(notebookOf(text)?.text ?? '').toMatch(/^[x\\]?$/)
  })

  it('a cell of half a million lines is read like a short one', () => {
    const read = notebookOf(JSON.stringify({ cells: [{ cell_type: 'code', source: 'x\n'.repeat(500_000) }] }))
    expect(read?.text).toHaveLength(999_999)
    expect(read?.positionOf(999_998).cell).toEqual({ number: 1, line: 500_000 })
  })

  it('escapes count as what they stand for', () => {
    const text = '{"cells":[{"cell_type":"code","source":"a\\u0062c\\t= 1\\nd = 2"}]}'
    const read = notebookOf(text)
    expect(read?.text).toBe('abc\t= 1\nd = 2')

    expect(read?.positionOf(8).cell).toEqual({ number: 1, line: 2 })
    expect(text[(read?.positionOf(8).column ?? 0) - 1]).toBe('d')
  })
})
