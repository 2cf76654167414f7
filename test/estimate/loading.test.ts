/** What is on the GPU while weights are loaded and quantised: by counting them, and as peft's own function casts what is left. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { hasTorch, python } from '../probes/python.ts'
import { knownModel, specOf } from './specs.ts'

const model = 'huggyllama/llama-7b'
const lora: TrainingSpec['lora'] = { rank: 8, dropout: 0, targets: ['q_proj'] }

function loading(changes: Partial<TrainingSpec>, config = knownModel(model).config) {
  const spec = specOf(model, { loop: 'trainer', quantization: 'nf4', lora, precision: 'bf16-master', ...changes })
  return new Footprint(spec, config).loading
}

const widest = 4_096 * 11_008
const matrices = 32 * (4 * 4_096 * 4_096 + 3 * widest)
const norms = 65 * 4_096
const table = 32_000 * 4_096
const others = 2 * table + norms
const inFourBits = matrices / 2 + (matrices / 64) * 4

describe('one weight after the other', () => {
  it('is beside those that are quantised already, in 16 bits', () => {
    expect(loading({}).oneByOne).toBeCloseTo(inFourBits + 2 * others + 2 * widest, -1)
  })

  it('is there twice for 8 bits from transformers 5.0 on', () => {
    const inEightBits = matrices + 4 * 32 * (5 * 4_096 + 2 * 11_008)
    const beside = (versions: TrainingSpec['versions']) =>
      loading({ quantization: 'int8', versions }).oneByOne - inEightBits - 2 * others
    expect(beside({ transformers: '4.57.1' })).toBeCloseTo(2 * widest, -1)
    expect(beside({ transformers: '5.18.0' })).toBeCloseTo(4 * widest, -1)
  })

  it('is copied to float32 where the training has it so, the output layer last', () => {
    expect(loading({ precision: 'amp-bf16' }).oneByOne).toBeCloseTo(inFourBits + 4 * others + 2 * table, -1)
  })
})

it('all of them in 16 bits are the whole checkpoint', () => {
  expect(loading({}).inFull).toBeCloseTo(2 * 6_738_415_616, -1)
})

const hasPeft =
  hasTorch &&
  execFileSync(python, ['-c', 'import importlib.util as u; print(u.find_spec("peft") is not None)'], {
    encoding: 'utf8',
  }).trim() === 'True'

describe.skipIf(!hasPeft)('with peft', () => {
  it('prepare_model_for_kbit_training holds what is estimated', () => {
    const program = `
import torch
from peft import prepare_model_for_kbit_training
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import LlamaConfig, LlamaForCausalLM
config = LlamaConfig(vocab_size=1000, hidden_size=64, intermediate_size=96, num_hidden_layers=5, num_attention_heads=4)
model = LlamaForCausalLM(config).bfloat16()
peak = 0
class Watched(TorchDispatchMode):
    def __torch_dispatch__(self, call, types, args=(), kwargs=None):
        global peak
        result = call(*args, **(kwargs or {}))
        held = sum(parameter.nbytes for parameter in model.parameters())
        peak = max(peak, held + (result.nbytes if torch.is_tensor(result) else 0))
        return result
with Watched():
    prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)
print(peak)`
    const peak = Number(
      execFileSync(python, ['-c', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    const { config } = knownModel(model)
    const small = {
      ...config,
      vocab_size: 1_000,
      hidden_size: 64,
      intermediate_size: 96,
      num_hidden_layers: 5,
      num_attention_heads: 4,
      num_key_value_heads: 4,
    }
    const spec = specOf(model, { loop: 'trainer', lora, precision: 'amp-bf16' })
    expect(new Footprint(spec, small).loading.oneByOne).toBe(peak)
  })
})
