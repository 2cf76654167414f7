/** A loop whose optimizer is made anew before anything steps the first one. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

describe('an optimizer that is made twice under one name', () => {
  const loop = (between: string) => `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").cuda()
encoded = tokenizer(texts, max_length=128, truncation=True)
loader = DataLoader(encoded, batch_size=16)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
${between}
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
for batch in loader:
    loss = model(**batch).loss
    loss.backward()
    optimizer.step()
`

  it('is the later one, where nothing asks for the first', async () => {
    expect((await trained(loop('optimizer_options = {"lr": 1e-3}'))).spec.optimizer).toBe('adamw')
  })

  it.each(['train_head(model, optimizer)', 'schedule = torch.optim.lr_scheduler.StepLR(optimizer, 4)'])(
    'is open after %s',
    async between => {
      expect(JSON.stringify(await problems(loop(between)))).toContain(
        'the optimizer is SGD (line 8) or AdamW (line 10)',
      )
    },
  )

  it('is open where only a condition replaces it', async () => {
    const either = loop('').replace('optimizer = torch.optim.AdamW', 'if adam:\n    optimizer = torch.optim.AdamW')
    expect(JSON.stringify(await problems(either))).toContain('the optimizer is')
  })
})
