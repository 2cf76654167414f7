/** Trainings of sentence-transformers: which model, how many texts a sample, by which loss. */
import { describe, expect, it } from 'vitest'
import { problems, readBeside, trained } from '../scripts.ts'

const imports =
  'from datasets import Dataset, load_dataset\nfrom torch.utils.data import DataLoader\nfrom sentence_transformers import (CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments, InputExample, SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments, datasets, losses, models)\n'

function byTrainer(loss: string, { model = 'SentenceTransformer("bert-base-uncased")', data = 'data' } = {}): string {
  return `${imports}model = ${model}
args = SentenceTransformerTrainingArguments(output_dir="o", per_device_train_batch_size=24, bf16=True)
SentenceTransformerTrainer(model=model, args=args, train_dataset=${data}${loss === '' ? '' : `, loss=${loss}`}).train()
`
}

function byFit(above: string, pairs: string, rest = ''): string {
  return `${imports}model = SentenceTransformer("all-MiniLM-L6-v2")\n${above}\nmodel.fit(train_objectives=[${pairs}], epochs=1${rest})\n`
}

describe('its trainer', () => {
  it.each([
    ['losses.CosineSimilarityLoss(model)', { columns: 2, loss: 'cosine-similarity' }],
    ['losses.AnglELoss(model)', { columns: 2, loss: 'cosent' }],
    ['losses.OnlineContrastiveLoss(model=model)', { columns: 2, loss: 'contrastive' }],
    ['losses.TripletLoss(model=model)', { columns: 3, loss: 'triplet' }],
    ['{"a": losses.CoSENTLoss(model), "b": losses.TripletLoss(model)}', { columns: 3, loss: 'triplet' }],
    ['', { columns: 2, loss: 'cosent' }],
  ])('takes as many texts as the loss does: %s', async (loss, sentences) => {
    const { spec } = await trained(byTrainer(loss))
    expect(spec).toMatchObject({ task: 'sentence-similarity', microBatch: 24, precision: 'amp-bf16', sentences })
    expect(spec.paddedBatches).toBe(true)
  })

  it.each([
    ['load_dataset("sentence-transformers/all-nli", "triplet", split="train")', 3],
    ['load_dataset("sentence-transformers/all-nli", "pair", split="train").shuffle(seed=1)', 2],
    ['load_dataset("own/data").select_columns(["query", "answer", "n1", "n2", "label"])', 4],
    [
      '{"a": load_dataset("sentence-transformers/a", "pair"), "b": load_dataset("sentence-transformers/b", "triplet")}',
      3,
    ],
    ['Dataset.from_dict({"anchor": a, "positive": b, "negative": c})', 3],
  ])('takes what the data has by the ranking loss: %s', async (data, columns) => {
    const text = byTrainer('losses.MultipleNegativesRankingLoss(model)', { data })
    const { spec, assumesCode, assumptions } = await trained(text)
    expect(spec.sentences).toEqual({ columns, loss: 'multiple-negatives-ranking' })
    expect(assumesCode).toBe(columns > 2 ? true : undefined)
    const told = assumptions.filter(sentence => sentence.startsWith('sentence-transformers 6.0'))
    expect(told).toHaveLength(columns > 2 ? 1 : 0)
  })

  it('says that it takes pairs, and blocks nothing, where the data is not known', async () => {
    const text = byTrainer('losses.MultipleNegativesRankingLoss(model)')
    const { spec, assumptions, assumesCode } = await trained(text)
    expect(spec.sentences?.columns).toBe(2)
    expect(assumptions).toContainEqual(expect.stringMatching(/^Two texts a sample: .*add sentence_columns/))
    expect(assumesCode).toBe(true)
    const sentenceColumns = {
      key: 'x',
      name: 'x',
      value: { kind: 'number', number: 5 },
      at: { line: 1, column: 1 },
      source: '5',
    } as const
    const supplied = await readBeside(text, {}, { supplied: { sentence_columns: sentenceColumns } })
    expect(supplied).toMatchObject({ spec: { sentences: { columns: 5 } } })
  })

  it('cuts text to what is set on the model, is given to it, or is its own limit', async () => {
    const lengthOf = async (model: string) => (await trained(byTrainer('', { model }))).spec.sequenceLength
    expect(await lengthOf('SentenceTransformer("bert-base-uncased")\nmodel.max_seq_length = 200')).toBe(200)
    expect(await lengthOf('SentenceTransformer("all-MiniLM-L6-v2")')).toBe(256)
    expect(await lengthOf('SentenceTransformer("bert-base-uncased", tokenizer_kwargs={"model_max_length": 96})')).toBe(
      96,
    )
    const parts =
      'SentenceTransformer(modules=[models.Transformer("roberta-base", max_seq_length=75), models.Pooling(768)])'
    expect(await lengthOf(parts)).toBe(75)
  })

  it.each([
    ['losses.CachedMultipleNegativesRankingLoss(model)', 'CachedMultipleNegativesRankingLoss'],
    ['losses.MatryoshkaLoss(model, losses.CoSENTLoss(model), matryoshka_dims=[64])', 'MatryoshkaLoss'],
    ['OwnLoss(model)', 'The loss'],
  ])('refuses by its name what is not modelled: %s', async (loss, name) => {
    expect(await problems(byTrainer(loss))).toMatchObject([{ line: 6, message: expect.stringContaining(name) }])
  })

  it('refuses a module besides', async () => {
    const model =
      'SentenceTransformer(modules=[models.Transformer("roberta-base"), models.Pooling(768), models.Dense(768, 256)])'
    expect(await problems(byTrainer('', { model }))).toMatchObject([{ message: expect.stringContaining('Dense') }])
  })
})

describe('fit', () => {
  it('takes the batch of its DataLoader, and its own optimizer and mixed precision', async () => {
    const above =
      'examples = [InputExample(texts=[a, b, c])]\nloader = DataLoader(examples, shuffle=True, batch_size=12)\nloss = losses.MultipleNegativesRankingLoss(model)'
    const { spec, batchSizeAt } = await trained(byFit(above, '(loader, loss)', ', use_amp=True'))
    expect(spec).toMatchObject({ microBatch: 12, precision: 'amp-fp16', optimizer: 'adamw', loop: 'trainer' })
    expect(spec.sentences).toEqual({ columns: 3, loss: 'multiple-negatives-ranking' })
    expect(batchSizeAt?.line).toBe(6)
  })

  it('takes the batch of the last of several', async () => {
    const above = 'one = DataLoader(a, batch_size=64)\ntwo = DataLoader(b, batch_size=8)'
    const text = byFit(above, '(one, losses.CoSENTLoss(model)), (two, losses.TripletLoss(model))')
    const { spec, assumptions } = await trained(text)
    expect(spec).toMatchObject({ microBatch: 8, sentences: { columns: 3 } })
    expect(assumptions).toContainEqual(expect.stringContaining('the last DataLoader'))
  })

  it('takes that of NoDuplicatesDataLoader too', async () => {
    const above = 'loader = datasets.NoDuplicatesDataLoader(pairs, batch_size=64)'
    expect((await trained(byFit(above, '(loader, losses.CoSENTLoss(model))'))).spec.microBatch).toBe(64)
  })

  it('leaves classifiers over embeddings alone', async () => {
    const reading = await readBeside(
      `${imports}model = SentenceTransformer("all-MiniLM-L6-v2")\nclassifier.fit(model.encode(texts), labels)\n`,
      {},
    )
    expect(reading.kind).toBe('not-a-training-config')
  })
})

describe('a CrossEncoder', () => {
  it('classifies pairs', async () => {
    const text = `${imports}model = CrossEncoder("distilroberta-base", num_labels=3, max_length=160)
args = CrossEncoderTrainingArguments(output_dir="o", per_device_train_batch_size=48)
CrossEncoderTrainer(model=model, args=args, train_dataset=data).train()
`
    const { spec } = await trained(text)
    expect(spec).toMatchObject({ task: 'sequence-classification', labels: 3, sequenceLength: 160, microBatch: 48 })
    expect(spec.sentences).toBeUndefined()
  })

  it('is fitted by one DataLoader', async () => {
    const text = `${imports}model = CrossEncoder("distilroberta-base")\nmodel.fit(train_dataloader=DataLoader(samples, batch_size=20), epochs=1)\n`
    expect((await trained(text)).spec).toMatchObject({ microBatch: 20, labels: 1, optimizer: 'adamw' })
  })
})
