/** Heads that classify texts, tokens or images. */
import { describe, expect, it } from 'vitest'
import { problems, readBeside, trained } from './scripts.ts'

describe('a classifier', () => {
  const script = `from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
def tokenize(rows):
    return tokenizer(rows["text"], truncation=True, max_length=256)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=5)
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=32)).train()
`
  it('has the length that its text is cut to, and the labels of its head', async () => {
    expect((await trained(script)).spec).toMatchObject({
      task: 'sequence-classification',
      sequenceLength: 256,
      labels: 5,
      microBatch: 32,
    })
  })

  it('asks for the length where text is cut to several', async () => {
    const twice = script.replace('def tokenize', 'ids = tokenizer(question, max_length=64)\ndef tokenize')
    expect((await problems(twice))[0]?.message).toContain('text is cut to different lengths (line 3 and line 5)')
  })

  it('is not that of the questions which a function asks the model', async () => {
    const script = (asks: string) => `from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("gpt2")
def ask(question):
    inputs = tokenizer(question, max_length=300, truncation=True, return_tensors="pt")
    return ${asks}(**inputs)
def features(rows):
    return tokenizer(rows["text"], max_length=512, truncation=True)
args = TrainingArguments("out", per_device_train_batch_size=2)
Trainer(model=model, args=args, train_dataset=rows.map(features)).train()
`
    expect((await trained(script('model.generate'))).spec.sequenceLength).toBe(512)
    expect((await problems(script('model')))[0]?.message).toContain('text is cut to different lengths')
  })

  it('is that of the labels where a call gives to them', async () => {
    const script = (
      name: string,
    ) => `from transformers import AutoModelForSeq2SeqLM, Seq2SeqTrainer, Seq2SeqTrainingArguments
def features(rows):
    inputs = tokenizer(rows["text"], max_length=640, truncation=True)
    ${name} = tokenizer(rows["answer"], max_length=112, truncation=True)
model = AutoModelForSeq2SeqLM.from_pretrained("google-t5/t5-small")
args = Seq2SeqTrainingArguments("out", per_device_train_batch_size=2)
Seq2SeqTrainer(model=model, args=args, train_dataset=rows.map(features)).train()
`
    for (const name of ['labels', 'target_ids'])
      expect(await trained(script(name))).toMatchObject({ spec: { sequenceLength: 640, targetLength: 112 } })
    expect((await problems(script('more'))).map(({ message }) => message)).toEqual([
      expect.stringContaining('text is cut to different lengths'),
    ])
  })

  it('has no length of a constant where the tokenizer cuts by itself', async () => {
    const named = `context_length = 128\n${script}`
    const byItself = named.replace(', max_length=256', '')
    expect((await trained(named)).spec.sequenceLength).toBe(256)
    expect(await trained(byItself)).toMatchObject({ spec: { sequenceLength: 512 }, assumesLength: true })
    const byHand = byItself.replace('truncation=True', '')
    expect((await trained(byHand)).spec.sequenceLength).toBe(128)
  })

  it('has the length that another file cuts its text to', async () => {
    const cut =
      'def tokenize(rows, tokenizer, length):\n    return tokenizer(rows["text"], truncation=True, max_length=length)\n'
    const here = `from data import tokenize\n${script.replace(/def tokenize[\s\S]*?256\)/, 'rows = tokenize(rows, tokenizer, 192)')}`
    expect(await readBeside(here, { 'data.py': cut })).toMatchObject({ spec: { sequenceLength: 192 } })
    const both = `${here}rows = tokenize(others, tokenizer, 64)\n`
    expect(await readBeside(both, { 'data.py': cut })).toMatchObject({
      spec: { sequenceLength: 512 },
      assumesLength: true,
    })
  })

  it('says where weights are frozen by hand in a part that is not known', async () => {
    const frozen = script.replace(
      'Trainer(model',
      'for p in model.bert.adapter.parameters():\n    p.requires_grad = False\nTrainer(model',
    )
    expect((await problems(frozen))[0]).toMatchObject({
      line: 7,
      message: 'Weights are frozen here in a way that is not counted for scripts yet',
    })
  })
})
