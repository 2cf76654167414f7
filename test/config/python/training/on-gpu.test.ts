/** Loops that never leave the processor: plain PyTorch moves nothing to a GPU by itself. */
import { expect, it } from 'vitest'
import { problems, readBeside, trained } from '../scripts.ts'

const script = (moving: string, on = 'batch') => `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
ids = tokenizer(text, truncation=True, max_length=128)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
${moving}
optimizer = torch.optim.AdamW(model.parameters())
for batch in DataLoader(rows, batch_size=16, shuffle=True):
    model(**${on}).loss.backward()
    optimizer.step()
    predicted = logits.detach().to("cpu")
`

it.each([
  ['nothing', ''],
  ['a comment', '# model.cuda()'],
  ['the processor', 'device = torch.device("cpu")\nmodel.to(device)'],
  ['the processor by its name', 'model.to("cpu")'],
  ['another type', 'model.to(torch.float32)'],
])('with %s it trains on no GPU', async (_, moving) => {
  expect(await problems(script(moving))).toMatchObject([
    { code: 'not-on-gpu', message: expect.stringContaining('nothing is moved to a GPU') },
  ])
})

it.each([
  ['model.cuda()'],
  ['device = "cuda" if torch.cuda.is_available() else "cpu"\nmodel.to(device)'],
  ['from ours import DEVICE\nmodel.to(DEVICE)'],
  ['from ours import prepared\nprepared(model, device=choice)'],
  ['torch.set_default_device("cuda:1")'],
  ['from accelerate import Accelerator\naccelerator = Accelerator()\nmodel = accelerator.prepare(model)'],
])('%s moves it', async moving => {
  expect((await trained(script(moving))).spec.microBatch).toBe(16)
})

it('another file may move it', async () => {
  const files = { 'ours.py': 'def moved(model):\n    return model.cuda()\n' }
  const text = script('from ours import moved\nmoved(model)')
  expect(await readBeside(text, files)).toMatchObject({ kind: 'training-config', spec: { microBatch: 16 } })
})
