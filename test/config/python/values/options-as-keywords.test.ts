/** Options of click that a function takes all at once, and hands on by their names. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

const script = (options: string) => `import click
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

def train(*, model_name, batch_size, half=False):
    model = AutoModelForSequenceClassification.from_pretrained(model_name)
    args = TrainingArguments("out", per_device_train_batch_size=batch_size, fp16=half)
    Trainer(model=model, args=args, train_dataset=data).train()

@click.command()
@click.option("--model-name", default="bert-base-uncased")
${options}
def main(**kwargs):
    train(**kwargs)

main()
`

describe("click's options as **kwargs", () => {
  it('have the defaults that the decorators give them', async () => {
    const { spec, assumptions } = await trained(script('@click.option("--batch-size", default=24)'))
    expect(spec).toMatchObject({ model: 'google-bert/bert-base-uncased', microBatch: 24, precision: 'fp32' })
    expect(assumptions.join('\n')).toContain('24 is the default of --batch-size (line 11)')
  })

  it('are those that are declared', async () => {
    const both = '@click.option("--batch-size", default=24)\n@click.option("--half/--full", default=True)'
    expect((await trained(script(both))).spec.precision).toBe('amp-fp16')
  })

  it('leave open what has no default', async () => {
    const [problem] = await problems(script('@click.option("--batch-size", type=int)'))
    expect(problem?.message).toContain('--batch-size (line 11) is given on the command line and has no default')
  })
})
