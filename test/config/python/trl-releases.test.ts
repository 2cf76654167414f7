/**
 * What TRL's configs turn on by themselves hangs on the release: bf16 since 0.19, gradient checkpointing since 0.22
 * (trl#3510), vLLM on the GPUs that train since 1.0 (trl#5255), the loss in chunks since 1.7 (trl#5846). Its DPO copies the logits from 0.29 (trl#3906)
 * to 1.5 (trl#5926).
 */
import { describe, expect, it, test } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'

const script = (given: string) => `from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", per_device_train_batch_size=4${given})
SFTTrainer(model="Qwen/Qwen3-0.6B", args=args).train()
`

async function trained(requirements: string, given = '', text = script(given)) {
  const sources = {
    readFile: async (path: string) => (path === 'requirements.txt' ? requirements : undefined),
    listFolder: async (folder: string) => (folder === '.' ? ['requirements.txt', 'train.py'] : []),
  }
  const read = await readConfigAsync({ path: 'train.py', text }, sources)
  if (read.kind !== 'training-config') throw new Error(JSON.stringify(read))
  return read
}

/** Adapters over quantised weights, by the trainer of this name. */
function adapting(trainer: string, quantization = 'load_in_4bit=True'): string {
  const rewards = trainer === 'GRPO' || trainer === 'RLOO' ? ', reward_funcs=[score]' : ''
  return `from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import ${trainer}Config, ${trainer}Trainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", dtype="bfloat16", quantization_config=BitsAndBytesConfig(${quantization}))
args = ${trainer}Config("out", per_device_train_batch_size=4, bf16=True)
${trainer}Trainer(model=model, args=args, peft_config=LoraConfig(r=8, target_modules=["q_proj"])${rewards}).train()
`
}

describe('what is not quantised is float32 where the trainer prepares it', () => {
  const precisionBy = async (requirement: string, text: string) => (await trained(requirement, '', text)).spec.precision
  const inFp16 = (trainer: string) => adapting(trainer).replace('bfloat16', 'float16').replace('bf16=True', 'fp16=True')

  test.each([
    ['SFT', '0.25.1', '0.26.0'],
    ['DPO', '0.28.0', '0.29.0'],
    ['KTO', '1.3.0', '1.4.0'],
  ])('by %s as of %s but not as of %s', async (trainer, before, after) => {
    expect(await precisionBy(`trl==${before}`, inFp16(trainer))).toBe('amp-fp16')
    expect(await precisionBy(`trl==${after}`, inFp16(trainer))).toBe('bf16')
  })

  it('not with bf16 over 4 bits, which casts it back, nor where the script puts the adapters on', async () => {
    expect(await precisionBy('trl==0.25.1', adapting('SFT'))).toBe('bf16')
    expect(await precisionBy('trl==0.25.1', adapting('SFT', 'load_in_8bit=True'))).toBe('amp-bf16')
    const byHand = inFp16('SFT')
      .replace('import LoraConfig', 'import LoraConfig, get_peft_model')
      .replace(/, peft_config=(LoraConfig\(.*?\]\))/, '')
      .replace('args = ', 'model = get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj"]))\nargs = ')
    expect(await precisionBy('trl==0.25.1', byHand)).toBe('bf16')
  })
})

describe('adapters over quantised weights are bfloat16', () => {
  test.each([
    ['SFT', '0.25.1', '0.26.0'],
    ['GRPO', '0.25.1', '0.26.0'],
    ['RLOO', '0.26.2', '0.27.0'],
    ['DPO', '0.28.0', '0.29.0'],
    ['KTO', '1.3.0', '1.4.0'],
  ])('by %s not as of %s but as of %s', async (trainer, before, after) => {
    const castBy = async (requirement: string, quantization?: string) =>
      (await trained(requirement, '', adapting(trainer, quantization))).spec.lora?.inWeightsType
    expect(await castBy(`trl==${before}`)).toBeUndefined()
    expect(await castBy(`trl==${after}`)).toBe(true)
    expect(await castBy('trl', 'load_in_8bit=True')).toBe(true)
  })

  it('not without quantisation, nor by ORPO, by the Trainer or by Unsloth', async () => {
    const isCast = async (text: string) => {
      const { lora } = (await trained('trl', '', text)).spec
      return lora === undefined ? 'no adapters' : lora.inWeightsType
    }
    expect(await isCast(adapting('SFT').replace(/, quantization_config=.*$/m, ')'))).toBeUndefined()
    expect(await isCast(adapting('ORPO'))).toBeUndefined()
    const unsloth = `from unsloth import FastLanguageModel
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastLanguageModel.from_pretrained("Qwen/Qwen3-0.6B", load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=8, target_modules=["q_proj"])
SFTTrainer(model=model, args=SFTConfig("out", per_device_train_batch_size=4)).train()
`
    expect(await isCast(unsloth)).toBeUndefined()
    const trainer = adapting('SFT').replace(
      'from trl import SFTConfig, SFTTrainer',
      'from transformers import Trainer, TrainingArguments',
    )
    expect(
      await isCast(
        trainer
          .replace('SFTConfig', 'TrainingArguments')
          .replace('SFTTrainer(model=model, args=args, peft_config=', 'model = get_peft_model(model, ')
          .replace('from peft import LoraConfig', 'from peft import LoraConfig, get_peft_model')
          .replace('.train()', '\nTrainer(model=model, args=args).train()'),
      ),
    ).toBeUndefined()
  })
})

describe('the defaults of a config of TRL', () => {
  test.each([
    ['trl==0.18.2', { precision: 'fp32', gradientCheckpointing: false }],
    ['trl<0.19', { precision: 'fp32', gradientCheckpointing: false }],
    ['trl==0.19.1', { precision: 'amp-bf16', gradientCheckpointing: false }],
    ['trl==0.21.0', { precision: 'amp-bf16', gradientCheckpointing: false }],
    ['trl==0.22.0', { precision: 'amp-bf16', gradientCheckpointing: true }],
    ['trl', { precision: 'amp-bf16', gradientCheckpointing: true }],
  ])('are those of %s', async (requirement, settings) => {
    expect((await trained(requirement)).spec).toMatchObject(settings)
  })

  test.each([
    ['trl==1.6.0', '', undefined],
    ['trl==1.7.0', '', true],
    ['trl', '', true],
    ['trl\ntransformers==4.51.3', '', undefined],
    ['trl', ', loss_type="nll"', undefined],
    ['trl', ', loss_type="dft"', undefined],
    ['trl', ', use_liger_kernel=True', undefined],
    ['trl==1.6.0', ', loss_type="chunked_nll"', true],
  ])('take the loss in chunks as %s does%s', async (requirements, given, inChunks) => {
    const { spec, assumptions } = await trained(requirements, given)
    expect(spec.checkpointedLoss).toBe(inChunks)
    expect(assumptions.join().includes('chunked_nll')).toBe(given === '' && inChunks === true)
  })

  test.each([
    ['trl==0.29.0', 'server'],
    ['trl==1.0.0', 'vllm'],
    ['trl', 'vllm'],
  ])('generate as %s does: by a %s', async (requirement, kind) => {
    const grpo = script(', use_vllm=True')
      .replaceAll('SFT', 'GRPO')
      .replace('args=args', 'args=args, reward_funcs=[score]')
    expect((await trained(requirement, '', grpo)).spec.method).toMatchObject({ generation: { kind } })
  })

  const grpo = (given: string) =>
    script(given).replaceAll('SFT', 'GRPO').replace('args=args', 'args=args, reward_funcs=[score]')

  test.each([
    ['trl==0.18.2', '', 'copy'],
    ['trl==0.19.0', '', 'none'],
    ['trl', '', 'none'],
    ['trl==0.18.2', ', beta=0.0', 'none'],
    ['trl', ', vllm_device="cuda:0"', 'copy'],
    ['trl', ', vllm_device="cuda:0", beta=0.0', 'none'],
  ])("compare as %s does, given%s, with GRPO's reference: %s", async (requirement, given, reference) => {
    const { spec, assumptions } = await trained(requirement, '', grpo(given))
    expect(spec.method).toMatchObject({ reference })
    expect(assumptions.includes('A beta of 0.04, the default of TRL before 0.19: the config sets none.')).toBe(
      reference === 'copy',
    )
  })

  it("are those of an old release too where only that takes an argument of GRPO's vLLM", async () => {
    expect((await trained('', '', grpo(', vllm_dtype="auto"'))).spec.gradientCheckpointing).toBe(false)
    expect((await trained('', '', grpo(', vllm_mode="colocate"'))).spec.gradientCheckpointing).toBe(true)
  })

  test.each([
    ['trl==0.28.0', 'trl'],
    ['trl==0.29.0', 'trl-copied'],
    ['trl==1.5.0', 'trl-copied'],
    ['trl==1.6.0', 'trl'],
    ['trl', 'trl'],
  ])('take the log-probabilities of DPO as %s does: %s', async (requirement, logProbabilities) => {
    const dpo = script(', beta=0.1').replaceAll('SFT', 'DPO')
    expect((await trained(requirement, '', dpo)).spec.method).toMatchObject({ logProbabilities })
  })

  it('know the loss in chunks by name since 1.4', async () => {
    expect((await trained('trl==1.4.0', ', loss_type="chunked_nll"')).spec.checkpointedLoss).toBe(true)
    await expect(trained('trl==1.3.0', ', loss_type="chunked_nll"')).rejects.toThrow('TRL has chunked_nll since 1.4')
  })

  it('say which release they are of, where they decide', async () => {
    const { spec, assumptions } = await trained('trl==0.21.0')
    expect(assumptions).toContain('trl 0.21.0 (requirements.txt, line 1).')
    expect(spec.versions).toEqual({ trl: '0.21.0' })
    const told = await trained('trl==0.21.0', ', bf16=True, gradient_checkpointing=True, loss_type="nll"')
    expect(told.assumptions.join()).not.toContain('trl')
    expect(told.spec.versions).toBeUndefined()
  })

  it('are those of an old release where only that takes an argument', async () => {
    const { spec, assumptions } = await trained('', ', max_seq_length=512')
    expect(spec).toMatchObject({ precision: 'fp32', gradientCheckpointing: false, sequenceLength: 512 })
    expect(assumptions).toContain(
      'TRL is older than 0.20, which alone takes max_seq_length (line 2): its defaults count.',
    )
    expect((await trained('trl==0.22.0', ', max_seq_length=512')).spec.gradientCheckpointing).toBe(true)
  })
})

describe('the reference of a model that is loaded in bfloat16', () => {
  const loaded = (trainer: string, given = '', config = '') => `from transformers import AutoModelForCausalLM
from trl import ${trainer}Config, ${trainer}Trainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", dtype="bfloat16")
args = ${trainer}Config("out", per_device_train_batch_size=8, beta=0.1${config})
${trainer}Trainer(model=model, args=args${given}).train()
`
  const typeBy = async (requirement: string, text: string) => {
    const { method } = (await trained(requirement, '', text)).spec
    return method !== undefined && 'referenceType' in method ? method.referenceType : undefined
  }

  test.each([
    ['DPO', '0.28.0', '0.29.0'],
    ['KTO', '1.3.0', '1.4.0'],
    ['GRPO', '0.26.0', '0.27.0'],
    ['RLOO', '0.26.0', '0.27.0'],
  ])('is in float32 by %s as of %s no, as of %s yes', async (trainer, before, after) => {
    expect(await typeBy(`trl==${before}`, loaded(trainer))).toBeUndefined()
    expect(await typeBy(`trl==${after}`, loaded(trainer))).toBe('float32')
  })

  it('is as the script says where it is handed one, or how to load one', async () => {
    expect(await typeBy('trl', loaded('DPO', ', ref_model=None'))).toBe('float32')
    expect(await typeBy('trl', loaded('DPO', ', ref_model=model'))).toBeUndefined()
    expect(await typeBy('trl', loaded('DPO', '', ', model_init_kwargs={"dtype": "bfloat16"}'))).toBeUndefined()
    expect(await typeBy('trl', loaded('DPO', '', ', precompute_ref_log_probs=True'))).toBeUndefined()
    const adapted = loaded('DPO', ', peft_config=LoraConfig(r=8)').replace(
      'from trl',
      'from peft import LoraConfig\nfrom trl',
    )
    expect(await typeBy('trl', adapted)).toBeUndefined()
  })
})

describe('a trainer of TRL that is handed no arguments', () => {
  const bare = (imports = '', given = '') => `from transformers import AutoModelForCausalLM
from trl import SFTTrainer${imports}
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B")
SFTTrainer(model, train_dataset=data${given}).train()
`

  it('makes those of its own config', async () => {
    const { spec } = await trained('', '', bare())
    expect(spec).toMatchObject({ microBatch: 8, precision: 'bf16', autocasts: true, gradientCheckpointing: true })
  })

  test.each([
    ['', ', args=None', { precision: 'bf16', gradientCheckpointing: true }],
    [', DataCollatorForCompletionOnlyLM', '', { precision: 'fp32', gradientCheckpointing: false }],
    [', setup_chat_format', '', { precision: 'amp-bf16', gradientCheckpointing: true }],
    ['', ', tokenizer=tokenizer', { precision: 'fp32', gradientCheckpointing: false }],
  ])('makes those of the release that%s%s is of', async (imports, given, settings) => {
    expect((await trained('', '', bare(imports, given))).spec).toMatchObject(settings)
  })

  it('says which release a name is of, unless one is pinned', async () => {
    const { assumptions, spec } = await trained('', '', bare(', setup_chat_format'))
    expect(assumptions).toContain(
      'TRL is older than 0.26, which alone exports setup_chat_format (line 2): its defaults count.',
    )
    expect(spec).not.toHaveProperty('checkpointedLoss')
    expect((await trained('trl==1.7.0', '', bare(', setup_chat_format'))).spec.checkpointedLoss).toBe(true)
  })
})

describe('adapters on the output layer, which the loss in chunks does not take', () => {
  const adapted = `from peft import LoraConfig
from trl import SFTConfig, SFTTrainer
args = SFTConfig("out", per_device_train_batch_size=4)
peft = LoraConfig(r=8, target_modules=["q_proj", "lm_head"])
SFTTrainer(model="Qwen/Qwen3-0.6B", args=args, peft_config=peft).train()
`

  it('are of a TRL that takes the whole loss, where none is pinned', async () => {
    const { spec, assumptions } = await trained('trl', '', adapted)
    expect(spec.checkpointedLoss).toBeUndefined()
    expect(assumptions.join()).toContain('as in TRL before 1.7: from then on its default refuses adapters on lm_head')
  })

  it('are refused where a newer one is', async () => {
    await expect(trained('trl==1.7.0', '', adapted)).rejects.toThrow('TRL refuses adapters on lm_head')
  })
})

describe("the length as SFTTrainer's own parameter, which TRL 0.12 still has", () => {
  const old = (
    given = '',
    load = 'quantization_config=BitsAndBytesConfig(load_in_4bit=True), torch_dtype="float16"',
  ) => `
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments
from trl import SFTTrainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", ${load})
args = TrainingArguments("out", per_device_train_batch_size=4${given})
SFTTrainer(model=model, args=args, peft_config=LoraConfig(r=8, target_modules=["q_proj"]), max_seq_length=640).train()
`

  it('comes with the whole loss at once, and adapters in float32', async () => {
    const { spec, assumptions } = await trained('', '', old(', bf16=True'))
    expect(spec).toMatchObject({ sequenceLength: 640, precision: 'bf16', quantization: 'nf4' })
    expect(spec).not.toHaveProperty('checkpointedLoss')
    expect(spec.lora).not.toHaveProperty('inWeightsType')
    expect(assumptions).toContain(
      'TRL is older than 0.20, which alone takes max_seq_length (line 7): its defaults count.',
    )
  })

  it('prepares quantised weights, whose other layers are float32 then, unless it casts them to bfloat16', async () => {
    expect((await trained('', '', old())).spec.precision).toBe('fp32')
    expect((await trained('', '', old(', fp16=True'))).spec.precision).toBe('amp-fp16')
    expect((await trained('', '', old('', 'torch_dtype="float16"'))).spec.precision).toBe('bf16')
  })

  it('is no sign of a release under Unsloth, which takes it in any', async () => {
    const unsloth = old(', bf16=True', 'max_seq_length=640')
      .replace(
        'from transformers import AutoModelForCausalLM, ',
        'from unsloth import FastLanguageModel\nfrom transformers import ',
      )
      .replace('model = AutoModelForCausalLM', 'model, tokenizer = FastLanguageModel')
    const { assumptions } = await trained('', '', unsloth)
    expect(assumptions.join()).not.toContain('TRL is older')
  })
})

describe('a reference model that a script loads beside adapters', () => {
  const preferring = (trainer: string, reference: string) => `
from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import ${trainer}Config, ${trainer}Trainer
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", dtype="bfloat16")
reference = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", dtype="bfloat16")
args = ${trainer}Config("out", per_device_train_batch_size=4, max_length=512, bf16=True)
${trainer}Trainer(model, ${reference}, args=args, peft_config=LoraConfig(r=8, target_modules=["q_proj"])).train()
`

  it.each(['KTO', 'DPO'])('is not taken for the model with its adapters disabled, by %s', async trainer => {
    const read = await readConfigAsync({ path: 'train.py', text: preferring(trainer, 'reference') }, {})
    expect(JSON.stringify(read)).toContain('Another model that is loaded here changes what training holds in memory')
    const alone = await trained('', '', preferring(trainer, 'None'))
    expect(alone.spec.method).toMatchObject({ reference: 'adapters-off' })
  })

  it('nor where the launcher passes the adapters', async () => {
    const text = preferring('KTO', 'reference')
      .replace(
        'from transformers import',
        'from trl import ModelConfig, get_peft_config\nfrom transformers import HfArgumentParser,',
      )
      .replace(
        /args = KTOConfig.*/,
        '(args, own) = HfArgumentParser((KTOConfig, ModelConfig)).parse_args_into_dataclasses()',
      )
      .replace(/peft_config=LoraConfig\(.*?\]\)/, 'peft_config=get_peft_config(own)')
    const launcher = { path: 'run.sh', text: 'python train.py --use_peft --lora_target_modules q_proj\n' }
    const passed = [
      ['use_peft'],
      ['lora_target_modules', 'q_proj'],
      ['per_device_train_batch_size', '4'],
      ['bf16'],
    ].map(([name = '', ...values]) => ({
      name,
      values: values.map(value => ({ text: value, from: 0, remarks: [] })),
      launcher,
      from: 0,
    }))
    const read = await readConfigAsync({ path: 'train.py', text, passed }, {})
    expect(JSON.stringify(read)).toContain('Another model that is loaded here')
    const without = passed.filter(({ name }) => !/peft|lora/.test(name))
    const full = await readConfigAsync({ path: 'train.py', text, passed: without }, {})
    expect(full).toMatchObject({ kind: 'training-config', spec: { method: { reference: 'copy' } } })
  })
})

describe('RLOO', () => {
  it('has a reference, and two completions a prompt, unless the script says otherwise', async () => {
    const { spec, assumptions } = await trained('trl==1.9.0', '', adapting('RLOO'))
    expect(spec.method).toMatchObject({ kind: 'online', reference: 'adapters-off' })
    expect(assumptions.join(' ')).not.toContain('takes only multiples')
  })

  it('of TRL before 0.22 is refused: a reward model scores its completions', async () => {
    await expect(trained('trl==0.21.0', '', adapting('RLOO'))).rejects.toThrow('RLOO of TRL before 0.22')
  })
})
