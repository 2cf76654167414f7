import { describe, expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../../readings.ts'

const grpo = `model:
  _component_: torchtune.models.qwen2_5.qwen2_5_3b
tokenizer:
  _component_: torchtune.models.qwen2_5.qwen2_5_tokenizer
  max_seq_len: 1024
batch_size: 2
grpo_samples: 16
forward_batch_size: 1
max_generated_tokens: 512
optimizer:
  _component_: torch.optim.AdamW
loss:
  _component_: torchtune.dev.grpo.loss.GRPOSimpleLoss
dtype: bf16
`

const ppo = `policy_model:
  _component_: torchtune.models.llama2.llama2_7b
reward_and_value_model:
  _component_: torchtune.models.llama2.llama2_reward_7b
tokenizer:
  _component_: torchtune.models.llama2.llama2_tokenizer
  max_seq_len: 512
batch_size: 64
forward_batch_size: 16
ppo_batch_size: 32
gradient_accumulation_steps: 4
max_generated_tokens: 58
optimizer:
  _component_: torch.optim.AdamW
loss:
  _component_: torchtune.rlhf.loss.PPOLoss
dtype: bf16
`

describe('recipes of torchtune that learn from answers', () => {
  it('GRPO: a sample is all answers to a prompt, and nothing accumulates', () => {
    const reading = trainingConfig(grpo)
    expect(reading.spec).toMatchObject({ microBatch: 2, gradientAccumulation: 1, sequenceLength: 1536, dropout: false })
    expect(reading.spec.method).toEqual({
      kind: 'rollouts',
      completionLength: 512,
      perPrompt: 16,
      generated: 1,
      collected: 2,
      withCritic: false,
      accumulates: false,
    })
    expect(reading.batchSizeAt).toEqual({ line: 6, column: 13 })
  })

  it('prompts of an open max_seq_len are taken to be of 512 tokens', () => {
    const { spec, assumptions } = trainingConfig(grpo.replace('max_seq_len: 1024', 'max_seq_len: null'))
    expect(spec.sequenceLength).toBe(1024)
    expect(assumptions.join(' ')).toContain('prompts of up to 512 (tokenizer.max_seq_len is not set)')
  })

  it('PPO: the policy is the model, and ppo_batch_size is divided by the accumulation', () => {
    const reading = trainingConfig(ppo)
    expect(reading.model.id).toBe('meta-llama/Llama-2-7b-hf')
    expect(reading.spec).toMatchObject({ microBatch: 8, gradientAccumulation: 4, sequenceLength: 570 })
    expect(reading.spec.method).toMatchObject({ generated: 16, collected: 32, withCritic: true, accumulates: true })
    // No line of the file holds the micro-batch, so none can be replaced.
    expect(reading.batchSizeAt).toBeUndefined()
  })

  it('PPO with its optimizer in the backward pass does not accumulate', () => {
    const inBackward = ppo.replace('gradient_accumulation_steps: 4', 'optimizer_in_bwd: true')
    expect(trainingConfig(inBackward).spec.method).toMatchObject({ accumulates: false })
  })

  it('a paged optimizer in the backward pass is refused', () => {
    const text = ppo
      .replace('gradient_accumulation_steps: 4', 'optimizer_in_bwd: true')
      .replace('torch.optim.AdamW', 'bitsandbytes.optim.PagedAdamW')
    expect(onlyProblemIn(text)).toMatchObject({ code: 'unsupported-setting', line: 14 })
  })

  it("a builder that is given TinyLlama's own width builds TinyLlama", () => {
    const shape = 'vocab_size: 32000\n  num_layers: 22\n  num_heads: 32\n  num_kv_heads: 4\n  embed_dim: 2048'
    const text = (width: number) => ppo.replace('llama2_7b\n', `llama2\n  ${shape}\n  intermediate_dim: ${width}\n`)
    expect(trainingConfig(text(5_632)).model.id).toBe('TinyLlama/TinyLlama_v1.1')
    expect(onlyProblemIn(text(4_096))).toMatchObject({ code: 'unknown-model' })
  })
})
