/** Embeddings and output layer among Unsloth's targets: unsloth 2026.8 models/llama.py get_peft_model, trainer.py create_optimizer. */
import { describe, expect, it } from 'vitest'
import { footprintOf } from '../../estimate/specs.ts'
import { trained } from './scripts.ts'

interface Written {
  readonly model?: string
  readonly targets?: string
  readonly checkpoints?: string
  readonly given?: string
}

function script({
  model = 'unsloth/mistral-7b-v0.3',
  targets = '"q_proj", "embed_tokens", "lm_head"',
  checkpoints = '"unsloth"',
  given = '',
}: Written = {}): string {
  return `from unsloth import FastLanguageModel, UnslothTrainer, UnslothTrainingArguments
model, tokenizer = FastLanguageModel.from_pretrained("${model}", max_seq_length=2048, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=128, target_modules=[${targets}], use_gradient_checkpointing=${checkpoints})
trainer = UnslothTrainer(model=model, train_dataset=data, args=UnslothTrainingArguments(
    "out", per_device_train_batch_size=2, optim="adamw_8bit", ${given}))
trainer.train()
`
}

describe('among the targets of Unsloth', () => {
  it('embeddings train whole, the originals on disk, and the output layer has adapters without a gradient', async () => {
    const { spec, assumptions } = await trained(script())
    expect(spec.lora).toMatchObject({
      targets: ['q_proj', 'lm_head'],
      modulesToSave: ['embed_tokens'],
      savedOnHost: true,
    })
    expect(assumptions.join(' ')).toContain('The adapters on lm_head get no gradient')
    expect(assumptions.join(' ')).not.toContain('not counted: the rank times')
  })

  it('embeddings keep their originals on the GPU under another checkpointing', async () => {
    expect((await trained(script({ checkpoints: 'True' }))).spec.lora?.savedOnHost).toBeUndefined()
  })

  it('embeddings of models that models/vision.py loads get adapters of peft, which are told of', async () => {
    const { spec, assumptions } = await trained(script({ model: 'ibm-granite/granite-3.1-2b-base' }))
    expect(spec.lora?.modulesToSave).toBeUndefined()
    expect(assumptions.join(' ')).toContain('The adapters on embed_tokens are not counted')
  })

  it('with a rate of their own, embeddings are stepped in 8 bits as all else', async () => {
    const { spec } = await trained(script({ given: 'embedding_learning_rate=5e-6' }))
    expect(spec.eightBitEmbeddings).toBe(true)
    expect((await trained(script({ given: 'embedding_learning_rate=None' }))).spec.eightBitEmbeddings).toBeUndefined()
  })
})

it('an original on the host is not counted, but where the output layer uses it', () => {
  const weights = (model: string, savedOnHost?: true) => {
    const lora = { rank: 8, targets: ['q_proj'], dropout: 0, modulesToSave: ['embed_tokens'] }
    const spec = {
      sequenceLength: 64,
      precision: 'bf16',
      lora: { ...lora, ...(savedOnHost && { savedOnHost }) },
    } as const
    return footprintOf(model, spec).peak(1, 0).breakdown.weights
  }
  const [untied, tied] = ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 'meta-llama/Llama-3.2-1B'] as const
  expect(weights(untied) - weights(untied, true)).toBe(32_000 * 2_048 * 2)
  expect(weights(tied) - weights(tied, true)).toBe(0)
})
