/** Modules in 16 bits beside quantised ones: whose names mean which, and what they weigh. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../engine/config/read.ts'
import {
  isUnquantized,
  MAX_UNQUANTIZED,
  namesThatMatch,
  saidOfLayers,
  type UnquantizedModules,
} from '../../engine/training/unquantized.ts'
import { sourcesOf } from '../config/files.ts'
import { problemsIn, trainedBy, trainingConfig } from '../config/readings.ts'
import { footprintOf } from '../estimate/specs.ts'
import { tinyLlama } from '../models/tiny-llama.ts'

const up = 'model.layers.12.mlp.up_proj'
const ofTower = 'model.vision_tower.encoder.layers.1.self_attn.q_proj'

/** By should_convert_module of transformers 5.18, _replace_with_bnb_linear of 4.57, and Unsloth's patches of both. */
describe('names of modules', () => {
  it.each([
    // [name, path, ends, parts, either]
    ['up_proj', up, true, true, true],
    ['mlp.up_proj', up, true, false, true],
    [up, up, true, true, true],
    ['mlp', up, false, true, true],
    ['layers.12.mlp', up, false, true, true],
    ['model.layers.12', up, true, true, true],
    ['model.layers.1', up, true, false, true],
    ['layers.1', up, false, false, false],
    ['vision_tower', ofTower, false, true, true],
    ['model.vision_tower', ofTower, true, true, true],
    ['model\\.layers\\.1[0-2]\\.', up, true, false, true],
    ['model\\.layers\\.2[0-2]\\.', up, false, false, false],
    ['gate_proj', up, false, false, false],
  ] as const)('%s means %s: %s, %s, %s', (name, path, ends, parts, either) => {
    const answer = (rule: UnquantizedModules['rule']) => isUnquantized({ names: [name], rule }, path)
    expect([answer('ends'), answer('parts'), answer('either')]).toEqual([ends, parts, either])
  })

  it('are refused where there are too many, too long ones, or patterns without a bound', () => {
    const many = Array.from({ length: MAX_UNQUANTIZED + 1 }, (_, index) => `layers.${index}`)
    expect(namesThatMatch(many)).toBeUndefined()
    expect(namesThatMatch([...many.slice(1), many[1]!])).toHaveLength(MAX_UNQUANTIZED)
    expect(namesThatMatch(['x'.repeat(201)])).toBeUndefined()
    expect(namesThatMatch(['(a+)+\\1'])).toBeUndefined()
    expect(namesThatMatch(['(['])).toBeUndefined()
  })

  it('say the same of layers that they name alike, and cannot where a number ends them', () => {
    const names = ['model.layers.3.mlp', 'model.layers.7.mlp', 'lm_head', 'model.layers.7.self_attn']
    const said = saidOfLayers({ names, rule: 'ends' })
    expect([...said!.keys()]).toEqual([3, 7])
    expect(said!.get(3)).not.toBe(said!.get(7))
    const alike = saidOfLayers({ names: names.slice(0, 2), rule: 'ends' })
    expect(alike!.get(3)).toBe(alike!.get(7))
    expect(saidOfLayers({ names: ['model.layers.3'], rule: 'ends' })).toBeUndefined()
    expect(saidOfLayers({ names: ['model.layers.3'], rule: 'parts' })?.get(3)).toBeDefined()
  })
})

const qlora = (model: string) => `model_name_or_path: ${model}
per_device_train_batch_size: 1
max_seq_length: 512
bf16: true
torch_dtype: bfloat16
gradient_checkpointing: true
load_in_4bit: true
use_peft: true
lora_r: 8
lora_target_modules: [q_proj]
`

/** Beyond four bits and a constant of 32 bits for each 64 weights. */
const inSixteenBits = 2 - 1 / 2 - 1 / 16

describe('a config that names them', () => {
  const skipping = (list: string) => `${qlora('meta-llama/Llama-3.1-8B')}llm_int8_skip_modules: ${list}\n`
  const weights = (text: string) => {
    const { spec } = trainingConfig(text)
    return footprintOf('meta-llama/Llama-3.1-8B', spec).resting(0).breakdown.weights
  }

  it.each([
    ['[lm_head, up_proj]', 32 * 4096 * 14_336],
    ['[lm_head, model.layers.3.mlp, model.layers.30.mlp.down_proj]', 4 * 4096 * 14_336],
    // transformers 5 takes it for the beginning of a path: layers 3, 30 and 31.
    ['[lm_head, model.layers.3]', 3 * (4096 * (2 * 4096 + 2 * 1024) + 3 * 4096 * 14_336)],
  ])('has %s in 16 bits', (list, count) => {
    expect(weights(skipping(list)) - weights(qlora('meta-llama/Llama-3.1-8B'))).toBe(count * inSixteenBits)
  })

  it('counts the output layer whole where the list leaves it out, and says so', () => {
    expect(trainingConfig(skipping('[lm_head, up_proj]')).countsTooMuch).toBeUndefined()
    const { countsTooMuch, assumptions } = trainingConfig(skipping('[up_proj]'))
    expect(countsTooMuch).toBe(true)
    expect(assumptions.join()).toContain('The output layer is counted in 16 bits')
  })

  it('counts the output layer whole where the list is empty, as tools write it that write every field', () => {
    const { spec, countsTooMuch } = trainingConfig(skipping('[]'))
    expect(spec.unquantized).toBeUndefined()
    expect(countsTooMuch).toBe(true)
  })

  it('says nothing of weights that are not quantised', () => {
    const { spec } = trainingConfig(skipping('[up_proj]').replace('load_in_4bit: true\n', ''))
    expect(spec.unquantized).toBeUndefined()
  })

  it.each(['up_proj', '[3]', '["(["]'])('is refused with %s', list => {
    expect(problemsIn(skipping(list))[0]).toMatchObject({ code: 'unsupported-quantization' })
  })
})

describe('a checkpoint whose config.json names them', () => {
  const checkpoint = (quantization: object) =>
    JSON.stringify({ ...JSON.parse(tinyLlama), quantization_config: quantization })
  const read = async (config: string, text = qlora('models/base-bnb-4bit')) => {
    const sources = sourcesOf({ 'models/base-bnb-4bit/config.json': config })
    return trainedBy(await readConfigAsync({ path: 'train.yaml', text }, sources))
  }
  const bitsandbytes = (names: unknown) => checkpoint({ quant_method: 'bitsandbytes', llm_int8_skip_modules: names })

  it('holds them in 16 bits, whatever the config asks for', async () => {
    const names = ['lm_head', 'model.layers.2.mlp']
    const asking = `${qlora('models/base-bnb-4bit')}llm_int8_skip_modules: [lm_head, q_proj]\n`
    for (const text of [undefined, asking]) {
      const { spec } = await read(bitsandbytes(names), text)
      expect(spec.unquantized).toEqual({ names, rule: 'either' })
    }
  })

  it.each([
    [{ quant_method: 'bitsandbytes', llm_int8_skip_modules: null }],
    [{ quant_method: 'gptq', llm_int8_skip_modules: ['mlp'] }],
    [{ quant_method: 'bitsandbytes', llm_int8_skip_modules: 'mlp' }],
    [null],
  ])('has none by %j', async quantization => {
    const { spec } = await read(JSON.stringify({ ...JSON.parse(tinyLlama), quantization_config: quantization }))
    expect(spec.unquantized).toBeUndefined()
  })

  it('is not read where it names too many', async () => {
    const many = Array.from({ length: MAX_UNQUANTIZED + 1 }, (_, index) => `model.layers.${index}.mlp`)
    const { spec, assumptions } = await read(bitsandbytes(many))
    expect(spec.unquantized).toBeUndefined()
    expect(assumptions.join()).toContain('names more modules that are not than are read here')
  })

  it('of a decoder beside a tower has them by the paths of earlier transformers', async () => {
    const gemma = {
      model_type: 'gemma3',
      text_config: { hidden_size: 2560, intermediate_size: 10_240, num_attention_heads: 8, num_hidden_layers: 34 },
      vision_config: {},
      quantization_config: {
        quant_method: 'bitsandbytes',
        llm_int8_skip_modules: ['language_model.model.layers.3.mlp', 'vision_tower.vision_model.encoder.layers.1.mlp'],
      },
    }
    const { spec } = await read(JSON.stringify(gemma))
    expect(spec.unquantized?.names).toEqual(['model.language_model.layers.3.mlp', 'vision_tower.encoder.layers.1.mlp'])
  })

  it('of Unsloth is told of where it is not at hand', async () => {
    const text = qlora('unsloth/Llama-3.2-1B-unsloth-bnb-4bit')
    const { assumptions } = trainedBy(await readConfigAsync({ path: 'train.yaml', text }, sourcesOf({})))
    expect(assumptions.join()).toContain("Unsloth's dynamic checkpoints keep some in 16")
  })
})

describe('a script', () => {
  const read = async (text: string) => trainedBy(await readConfigAsync({ path: 'train.py', text }, sourcesOf({})))

  it('names them to BitsAndBytesConfig', async () => {
    const { spec } =
      await read(`from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments
from peft import LoraConfig, get_peft_model
bnb = BitsAndBytesConfig(load_in_4bit=True, llm_int8_skip_modules=["lm_head", "o_proj"])
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B", quantization_config=bnb)
model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=2, bf16=True)).train()
`)
    expect(spec.unquantized).toEqual({ names: ['lm_head', 'o_proj'], rule: 'ends' })
  })

  it('with Unsloth leaves towers in 16 bits, and says that its copy may leave more', async () => {
    const unsloth = (model: string) => `from unsloth import FastModel
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastModel.from_pretrained("${model}", max_seq_length=2048, load_in_4bit=True)
model = FastModel.get_peft_model(model, r=8)
SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=2)).train()
`
    const { spec, assumptions } = await read(unsloth('google/gemma-3-4b-it'))
    expect(assumptions.join()).toContain('Unsloth loads its own 4-bit copy of the model where it has one')
    const { unquantized: _, ...quantised } = spec
    const weights = (asked: typeof quantised) => footprintOf('google/gemma-3-4b-it', asked).resting(0).breakdown.weights
    // SigLIP's 27 layers.
    const tower = 27 * (4 * 1152 * 1152 + 2 * 1152 * 4304)
    const more = weights(spec) - weights(quantised)
    expect(more / (tower * (2 - 1 / 2 - 1 / 64))).toBeCloseTo(1, 2)
    expect((await read(unsloth('meta-llama/Llama-3.1-8B'))).spec.unquantized).toBeUndefined()
  })
})
