/** A loop around GPT-2, of which a test changes the part that it is about. */
import type { Problem } from '../../../engine/base/errors.ts'
import { read } from './scripts.ts'

export interface Parts {
  readonly above?: string
  readonly loader?: string
  readonly optimizer?: string
  readonly step?: string
}

export const loop = ({
  above = '',
  loader = 'train_loader = DataLoader(train_set, batch_size=16, shuffle=True)',
  optimizer = 'optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)',
  step = 'model(**batch).loss.backward()\n    optimizer.step()',
}: Parts) => `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2").to("cuda")
ids = tokenizer(text, truncation=True, max_length=256)
${above}
${loader}
${optimizer}
for index, batch in enumerate(train_loader):
    ${step}
`

export async function spec(parts: Parts) {
  const reading = await read(loop(parts))
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading.spec
}

export async function firstProblem(text: string): Promise<Problem | undefined> {
  const reading = await read(text)
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems[0]
}
