/** marimo keeps each cell of a notebook as a function of a Python file. */
import { describe, expect, it } from 'vitest'
import { withoutCells } from '../../../../engine/config/python/syntax/marimo.ts'
import { read, trained } from '../scripts.ts'

const notebook = `import marimo

__generated_with = "0.13.0"
app = marimo.App(width="medium")

with app.setup(hide_code=True):
    from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


@app.cell
def _():
    batch = 24
    name = "bert-base-uncased"
    return batch, name


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    return to sender
    """)
    return


@app.cell
def load_model(
    name,
):
    model = AutoModelForSequenceClassification.from_pretrained(name)
    return (
        model,
    )


@app.function
def arguments_of(size):
    return TrainingArguments("out", per_device_train_batch_size=size, gradient_accumulation_steps=2)


@app.cell
def _(batch, model):
    trainer = Trainer(model=model, args=arguments_of(batch))
    trainer.train()
    return (trainer,)


if __name__ == "__main__":
    app.run()
`

describe('a notebook of marimo', () => {
  it('is the script that its cells are', async () => {
    const { spec, batchSizeAt } = await trained(notebook)
    expect(spec).toMatchObject({
      model: 'google-bert/bert-base-uncased',
      microBatch: 24,
      gradientAccumulation: 2,
      task: 'sequence-classification',
    })
    expect(batchSizeAt).toMatchObject({ line: 12, column: 13 })
  })

  it('keeps everything at its place', () => {
    const text = withoutCells(notebook) ?? ''
    expect(text.split('\n').map(({ length }) => length)).toEqual(notebook.split('\n').map(({ length }) => length))
    const place = notebook.indexOf('trainer.train()')
    expect(text.slice(place, place + 15)).toBe('trainer.train()')
  })

  it('asks for what a cell computes', async () => {
    const reading = await read(notebook.replace('batch = 24', 'batch = int(mo.ui.slider(1, 64).value)'))
    if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
    expect(reading.problems[0]?.message).toContain('line 12')
  })

  it.each([
    ['a script without cells', 'import marimo\nprint(marimo.__version__)\n'],
    ['functions of another library', notebook.replace('import marimo', 'import panel')],
    ['a cell that does not end', 'import marimo\n@app.cell\ndef _(\n    a,\n'],
    ['a cell without a function', 'import marimo\n@app.cell\nmodel = 1\n'],
  ])('is not %s', (_, text) => {
    expect(withoutCells(text)).toBeUndefined()
  })
})
