/** Models that are loaded before the one that trains, and not freed. */
import { expect, it } from 'vitest'
import { trained } from '../scripts.ts'

const load = (size: string, more = ', device_map="auto"') => `AutoModelForCausalLM.from_pretrained("${size}"${more})`
const inMain = (
  above: string,
  around = '',
) => `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
${above}
def main():
    model = ${load('gpt2')}
    args = TrainingArguments("out", per_device_train_batch_size=8)
    ${around}
    Trainer(model=model, args=args, train_dataset=data).train()
main()
`
const unread = async (text: string) => (await trained(text)).unreadSettings?.map(({ name }) => name)

it.each([
  ['of the same name outside of the function', inMain(`model = ${load('gpt2')}`), 'model'],
  ['with its tokenizer', inMain(`base, tokenizer = ${load('gpt2-xl')}, None`).replace(', None', ''), 'base'],
  ['that a method puts on the GPU', inMain('', `judge = ${load('gpt2-xl', '')}; judge.to("cuda")`), 'judge'],
  ['that is quantised', inMain('', `judge = ${load('gpt2-xl', ', load_in_8bit=True')}`), 'judge'],
])('is named: %s', async (_, text, name) => {
  expect(await unread(text)).toEqual([`the model that ${name} holds`])
})

it.each([
  ['that is deleted', inMain(`model = ${load('gpt2')}\ndel model`)],
  ['whose name is given to nothing', inMain(`base = ${load('gpt2-xl')}\nbase = None`)],
  ['that stays in host memory', inMain(`base = ${load('gpt2-xl', '')}`)],
  ['that is loaded afterwards', `${inMain('')}best = ${load('gpt2-xl')}\n`],
  [
    'in whose place the other is loaded',
    inMain('').replace('    model =', `    model = ${load('gpt2-xl')}\n    model =`),
  ],
  ['that trains', inMain('', 'model = model.to("cuda")')],
])('is not named: %s', async (_, text) => {
  expect(await unread(text)).toBeUndefined()
})
