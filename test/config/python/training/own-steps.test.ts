/** What the code puts into a step itself, beside what its trainer or its loop is read to do: told, and it never blocks. */
import { describe, expect, it } from 'vitest'
import { finetuning, problems, trained } from '../scripts.ts'

const batch = 'per_device_train_batch_size=8'

async function told(text: string): Promise<{ readonly sentences: string; readonly assumesCode: true | undefined }> {
  const { assumptions, assumesCode } = await trained(text)
  return { sentences: assumptions.join('\n'), assumesCode }
}

describe('around a trainer', () => {
  const pairs = (name: string, base = 'Trainer') =>
    finetuning(
      `class PairsTrainer(${base}):\n    def ${name}(self, *args, **kwargs):\n        return own(args)\n`,
      batch,
    ).replace('Trainer(model=', 'PairsTrainer(model=')

  it.each(['compute_loss', 'training_step', 'get_train_dataloader', 'create_optimizer'])(
    'its class may have a %s of its own',
    async name => {
      const { sentences, assumesCode } = await told(pairs(name))
      expect(sentences).toContain(
        `PairsTrainer.${name} (line 3) is the code's own: it is not counted, so that nothing blocks.`,
      )
      expect(assumesCode).toBe(true)
    },
  )

  it('but what it says of its metrics decides nothing', async () => {
    const { sentences, assumesCode } = await told(pairs('log'))
    expect(sentences).not.toContain("the code's own")
    expect(assumesCode).toBeUndefined()
  })

  it('a class of the repository that it extends may have one', async () => {
    const text = pairs('compute_loss').replace(
      '\nmodel =',
      '\nclass WeightedTrainer(PairsTrainer):\n    pass\n\nmodel =',
    )
    const { sentences } = await told(text.replace('trainer = PairsTrainer(', 'trainer = WeightedTrainer('))
    expect(sentences).toContain("PairsTrainer.compute_loss (line 3) is the code's own")
  })

  it.each(['compute_loss', 'log'])(
    'a trainer is one whatever its class is called, with a %s of its own',
    async name => {
      const { assumesCode } = await told(pairs(name).replaceAll('PairsTrainer', 'Distiller'))
      expect(assumesCode).toBe(name === 'log' ? undefined : true)
    },
  )

  it('its batches may be put in the place of the trainer’s', async () => {
    const text = finetuning('', batch).replace(
      'trainer.train()',
      'trainer.get_train_dataloader = own_batches\ntrainer.train()',
    )
    expect(await told(text)).toMatchObject({ assumesCode: true })
  })

  const beside = (line: string) => finetuning('', batch).replace('args =', `${line}\nargs =`)

  it.each(['from grit import Manager\nkeeper = Manager(model=model)', 'class FGM:\n    pass\nfgm = FGM(model)'])(
    'an object may be given the model: %s',
    async line => {
      const { sentences, assumesCode } = await told(beside(line))
      expect(sentences).toMatch(
        /(?:Manager|FGM) \(line \d+\) is given the model, and what it keeps of it is the code's own/,
      )
      expect(assumesCode).toBe(true)
    },
  )

  it.each([
    [
      'transformers feeds it',
      'from transformers import DataCollatorForSeq2Seq\nfeed = DataCollatorForSeq2Seq(tok, model)',
    ],
    ['it tells of it', 'from mine import ModelMetrics\nmetrics = ModelMetrics(model)'],
    ['it gets another one', 'from grit import Manager\nkeeper = Manager(other)'],
  ])('which decides nothing where %s', async (_, line) => {
    expect((await told(beside(line))).assumesCode).toBeUndefined()
  })

  it('and nothing that comes after the training', async () => {
    const text = `${finetuning('', batch)}from mine import Judge\njudge = Judge(model)\n`
    expect((await told(text)).assumesCode).toBeUndefined()
  })

  it('weights may be copied', async () => {
    const copy = 'old = {name: weight.detach().clone() for name, weight in model.named_parameters()}'
    expect((await told(beside(copy))).sentences).toContain("A copy of weights (line 4) is the code's own")
    const onCpu = copy.replace('.clone()', '.cpu().clone()')
    expect((await told(beside(onCpu))).assumesCode).toBeUndefined()
  })
})

describe('around a loop', () => {
  const loop = (forward: string, step = '    optimizer.step()') => `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").cuda()
encoded = tokenizer(texts, max_length=128, truncation=True, padding=True)
loader = DataLoader(data, batch_size=16)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
for batch in loader:
${forward}
${step}
`

  it('one forward pass is all that is counted', async () => {
    const { assumesCode } = await told(loop('    loss = model(**batch).loss\n    loss.backward()'))
    expect(assumesCode).toBeUndefined()
  })

  it('a copy of its weights is told, and one of its settings is none', async () => {
    const copied = (of: string) =>
      told(loop(`    loss = model(**batch).loss\n    loss.backward()\n    best = copy.deepcopy(${of})`))
    const { sentences, assumesCode } = await copied('model.state_dict()')
    expect(sentences).toContain("A copy of weights (line 13) is the code's own")
    expect(assumesCode).toBe(true)
    expect((await copied('config')).assumesCode).toBeUndefined()
  })

  it('a second one is told', async () => {
    const twice = '    first = model(**batch).loss\n    loss = first + model(**batch).loss\n    loss.backward()'
    const { sentences, assumesCode } = await told(loop(twice))
    expect(sentences).toContain("The forward pass on line 12, beside that on line 11, is the code's own")
    expect(assumesCode).toBe(true)
  })

  it.each([
    [
      'only one of them runs',
      '    if mixed:\n        loss = model(**batch).loss\n    else:\n        loss = model(**batch)[0]',
    ],
    ['one has no gradients', '    with torch.no_grad():\n        old = model(**batch)\n    loss = model(**batch).loss'],
  ])('but not where %s', async (_, forward) => {
    expect((await told(loop(`${forward}\n    loss.backward()`))).assumesCode).toBeUndefined()
  })

  const summed = '    loss = 0\n    for part in batch:\n        loss += model(**part).loss\n    loss.backward()'
  const byFunction = (body: string, start = 'def score(batch):') =>
    loop('    loss = score(batch)\n    loss.backward()').replace(
      'for batch',
      `${start}\n    total = 0\n${body}\n    return total\nfor batch`,
    )
  const inFunction = '    for part in batch:\n        total += model(**part).loss'

  it.each([
    ['an inner loop', loop(summed), 13],
    ['a loop of a function that it calls', byFunction(inFunction), 13],
  ])('several forward passes of %s before one backward pass are told', async (_, text, line) => {
    const { sentences, assumesCode } = await told(text)
    expect(sentences).toContain(
      `The forward pass on line ${line}, of which several come before one backward pass, is the code's own`,
    )
    expect(assumesCode).toBe(true)
  })

  it.each([
    ['the function runs the model once', byFunction('    total = model(**batch).loss')],
    ['the function has no gradients', byFunction(inFunction, '@torch.no_grad()\ndef score(batch):')],
    ['nothing calls it', byFunction(inFunction).replace('loss = score(batch)', 'loss = model(**batch).loss')],
  ])('but not where %s', async (_, text) => {
    expect((await told(text)).assumesCode).toBeUndefined()
  })

  const joined = (given: string, forward: string, after = '') =>
    loop(`    ${given}\n    loss = ${forward}\n    loss.backward()${after}`)

  it.each([
    ['two views in one batch', joined('views = torch.cat([batch["a"], batch["b"]])', 'model(views).loss'), 11],
    ['within the call', joined('pass', 'model(torch.cat([batch, own], dim=1)).loss'), 12],
    ['images that are scaled', joined('x = F.interpolate(batch, size=448)', 'model(x).loss'), 11],
    [
      'crops of a sample in a row',
      joined('x = batch.view(b * n, c, h, w).to(0)', 'model.forward_features(x).loss'),
      11,
    ],
    ['choices of a sample in a row', joined('x = batch["ids"].view(-1, 128)', 'model(x).loss'), 11],
    ['two axes made one', joined('x = batch.flatten(0, 1)', 'model(x).loss'), 11],
  ])('%s is told', async (_, text, line) => {
    const { sentences, assumesCode } = await told(text)
    expect(sentences).toContain(
      `What is put together or scaled for the model within the step (line ${line}) is the code's own`,
    )
    expect(assumesCode).toBe(true)
  })

  it.each([
    ['of what the model gives', joined('out = model(**batch)', 'torch.cat([out.loss, out.loss]).mean()')],
    ['once the step is done', joined('pass', 'model(**batch).loss', '\n    kept = torch.cat([kept, batch])')],
    ['of one axis alone', joined('x = batch.view(-1).flatten(1)', 'model(x).loss')],
    ['of the same samples', joined('x = batch.view(batch.size(0), -1)', 'model(x).loss')],
    ['of what the model does not get', joined('names = torch.cat([a, b])', 'model(**batch).loss')],
  ])('but not what is put together %s', async (_, text) => {
    expect((await told(text)).assumesCode).toBeUndefined()
  })

  const backward = '    loss = model(**batch).loss\n    loss.backward()'

  it.each([
    [
      'What is cut from a batch before the model takes it (line 11)',
      `    batch = {k: v[:4] for k, v in batch.items()}\n${backward}`,
    ],
    [
      'What is cut from a batch before the model takes it (line 11)',
      '    loss = model(batch["input_ids"][:, :128]).loss\n    loss.backward()',
    ],
    [
      'What is put together or scaled for the model within the step (line 11)',
      '    ids = batch["ids"].repeat(4, 1)\n    loss = model(ids).loss\n    loss.backward()',
    ],
    [
      'The part of the model that runs without gradients (line 12)',
      '    with torch.no_grad():\n        seen = model.bert(**batch)\n    model.classifier(seen[1]).sum().backward()',
    ],
    [
      'What is kept until the backward pass on line 13',
      '    losses.append(model(**batch).loss)\n    if len(losses) % 4 == 0:\n        sum(losses).backward()',
    ],
    [
      'What the graph that is kept for further gradients holds (line 12)',
      `${backward.replace('backward()', 'backward(retain_graph=True)')}`,
    ],
  ])('%s is told', async (says, step) => {
    const { sentences, assumesCode } = await told(loop(step, ''))
    expect(sentences).toContain(`${says} is the code's own`)
    expect(assumesCode).toBe(true)
  })

  it.each([
    ['two of a tuple', `    images, labels = batch[:2]\n${backward}`],
    ['what is cut of its outputs', '    out = model(**batch)\n    out.logits[:, :5].sum().backward()'],
    ['a graph that is not kept', backward.replace('backward()', 'backward(retain_graph=False)')],
  ])('but not %s', async (_, step) => {
    expect((await told(loop(step))).assumesCode).toBeUndefined()
  })

  it('what the model generates for a step is told, and what it generates after it is not', async () => {
    const step = '    loss = model(**batch).loss\n    loss.backward()'
    const { sentences } = await told(loop(`    answers = model.generate(**batch)\n${step}`))
    expect(sentences).toContain("What the model generates (line 11) before it trains on it is the code's own")
    expect((await told(loop(`${step}\n    answers = model.generate(**batch)`))).assumesCode).toBeUndefined()
  })

  it('an inner loop that sums gradients before each step leaves the accumulation open', async () => {
    const inner = '    for part in batch.chunk(4):\n        loss = model(**part).loss\n        loss.backward()'
    const found = await problems(loop(inner))
    expect(found.map(({ message }) => message).join('\n')).toContain(
      'the gradients of an inner loop (line 11) are summed before each step',
    )
  })

  it('adversarial training is refused', async () => {
    const attacks = loop('    loss = model(**batch).loss\n    loss.backward()').replace(
      'for batch',
      'fgm = FGM(model)\nfor batch',
    )
    expect((await problems(attacks)).map(({ message }) => message).join('\n')).toContain(
      'FGM changes what training holds',
    )
  })
})
