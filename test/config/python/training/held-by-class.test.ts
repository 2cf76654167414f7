/** Trainers whose model is of the repository's own class, around a model of transformers. */
import { describe, expect, it } from 'vitest'
import { problems, readBeside, trained } from '../scripts.ts'

const imports = `from torch import nn
from transformers import AutoModel, AutoModelForSequenceClassification, PreTrainedModel, Trainer, TrainingArguments
`
const regressor = (
  head = 'nn.Linear(768, 1)',
  base = 'nn.Module',
  model = 'AutoModel.from_pretrained(name)',
) => `${imports}
class Regressor(${base}):
    def __init__(self, name):
        super().__init__()
        self.backbone = ${model}
        self.dropout = nn.Dropout(0.1)
        self.head = ${head}
    def forward(self, input_ids, labels=None):
        return self.head(self.dropout(self.backbone(input_ids).last_hidden_state[:, 0]))
`
const trainer = `model = Regressor("bert-base-uncased")
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=8), train_dataset=data).train()
`

describe('a model with a head of its own', () => {
  it.each(['nn.Module', 'PreTrainedModel'])('is that of the library, if the class is a %s', async base => {
    const { spec, assumptions, assumesCode } = await trained(regressor(undefined, base) + trainer)
    expect(spec).toMatchObject({
      model: 'google-bert/bert-base-uncased',
      task: 'sequence-classification',
      microBatch: 8,
    })
    expect(assumptions.join('\n')).toContain(
      "The layers that Regressor puts on top of the model (line 9) are the code's own",
    )
    expect(assumesCode).toBe(true)
  })

  it('is found in another file, with what is frozen there', async () => {
    const script = `from transformers import Trainer, TrainingArguments\nfrom regressor import Regressor\n${trainer}`
    const frozen = regressor().replace(
      '        self.dropout',
      '        for parameter in self.backbone.parameters():\n            parameter.requires_grad = False\n        self.dropout',
    )
    expect(await readBeside(script, { 'regressor.py': regressor() })).toMatchObject({ spec: { microBatch: 8 } })
    expect(await readBeside(script, { 'regressor.py': frozen })).toMatchObject({ spec: { trainable: {} } })
  })

  it.each([
    ['on a classifier', regressor(undefined, undefined, 'AutoModelForSequenceClassification.from_pretrained(name)')],
    [
      'of a class of its own',
      `${regressor('Head(768)')}class Head(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.dense = nn.Linear(size, size)
        self.dropout = nn.Dropout(0.1)
        self.out = nn.Linear(size, 2)
`,
    ],
  ])('is that of the library below a head %s', async (_, text) => {
    expect((await trained(text + trainer)).spec).toMatchObject({ task: 'sequence-classification', microBatch: 8 })
  })

  it('is that of its class where nothing is put on top of it', async () => {
    const text = regressor('torch.nn.MSELoss()', undefined, 'AutoModelForSequenceClassification.from_pretrained(name)')
    const { spec, assumptions } = await trained(text.replace('        self.dropout = nn.Dropout(0.1)\n', '') + trainer)
    expect(spec).toMatchObject({ model: 'google-bert/bert-base-uncased', task: 'sequence-classification' })
    expect(assumptions.join('\n')).toContain('What Regressor (line 4) does with the model is the code')
  })

  it('is told of where it runs more than once in a forward pass, which is not counted', async () => {
    const twice = regressor().replace(
      '        return',
      '        other = self.backbone(input_ids.flip(0)).last_hidden_state\n        return',
    )
    const { assumptions } = await trained(twice + trainer)
    expect(assumptions.join('\n')).toContain('Regressor runs the model 2 times (line 12): it is not counted')
    expect((await trained(regressor() + trainer)).assumptions.join('\n')).not.toContain('runs the model')
  })

  it.each([
    ['more layers than a head', regressor('nn.LSTM(768, 768)')],
    ['a head over the vocabulary', regressor('nn.Linear(768, vocab_size)')],
    [
      'a head on a language model',
      regressor(undefined, undefined, 'AutoModelForCausalLM.from_pretrained(name)').replace(
        'AutoModel,',
        'AutoModelForCausalLM,',
      ),
    ],
    ['two models', regressor('AutoModel.from_pretrained("gpt2")')],
    [
      'adapters around it',
      `${regressor()}from peft import LoraConfig, get_peft_model\n`,
      'get_peft_model(Regressor("bert-base-uncased"), LoraConfig())',
    ],
  ])('is asked for where the class has %s', async (_, text, made = 'Regressor("bert-base-uncased")') => {
    const script = text + trainer.replace('Regressor("bert-base-uncased")', made)
    expect(JSON.stringify(await problems(script))).toContain('which the repository defines')
  })
})
