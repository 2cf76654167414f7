/** Unsloth 2026.4 models/rl.py: the classes that it puts in the place of TRL's, and their defaults. */
import { describe, expect, it } from 'vitest'
import { trained } from './scripts.ts'

const unsloth = 'from unsloth import FastLanguageModel'
const trl = 'from trl import SFTConfig, SFTTrainer'

function script(imports: readonly string[], given = '', config = 'SFTConfig'): string {
  return `${imports.join('\n')}
model, tokenizer = FastLanguageModel.from_pretrained("Qwen/Qwen3-0.6B", max_seq_length=1024)
model = FastLanguageModel.get_peft_model(model, r=8, target_modules=["q_proj"])
trainer = SFTTrainer(model=model, args=${config}(output_dir="out"${given}))
trainer.train()
`
}

describe('a config of TRL under Unsloth', () => {
  it("has Unsloth's defaults", async () => {
    const { spec, assumptions } = await trained(script([unsloth, trl]))
    expect(spec).toMatchObject({ microBatch: 4, gradientAccumulation: 2, optimizer: 'adamw-8bit' })
    expect(assumptions).toContain("A batch size of 4, Unsloth's default: the config sets none.")
    expect(assumptions).toContain("AdamW in 8 bits, the default of Unsloth's configs: the script sets no optim.")
  })

  it('has what it sets', async () => {
    const given = ', per_device_train_batch_size=16, gradient_accumulation_steps=1, optim="adamw_torch"'
    const { spec } = await trained(script([unsloth, trl], given))
    expect(spec).toMatchObject({ microBatch: 16, gradientAccumulation: 1, optimizer: 'adamw' })
  })

  it("has TRL's where its name was bound before", async () => {
    expect((await trained(script([trl, unsloth]))).spec).toMatchObject({ microBatch: 8, gradientAccumulation: 1 })
  })

  it('and the length of the model is only that of the classes that Unsloth made', async () => {
    const text = (imports: readonly string[]) => script(imports).replace('max_seq_length=1024', 'max_seq_length=4096')
    const { spec, assumptions } = await trained(text([trl, unsloth]))
    expect(spec.sequenceLength).toBe(1024)
    expect(assumptions).toContain('Sequences of 1024 tokens: the config sets no maximum length.')
    expect((await trained(text([unsloth, trl]))).spec.sequenceLength).toBe(4096)
  })

  it('is looked up when it is made where the whole of TRL is imported', async () => {
    const imports = ['import trl', unsloth, 'from trl import SFTTrainer']
    expect((await trained(script(imports, '', 'trl.SFTConfig'))).spec).toMatchObject({ microBatch: 4 })
  })

  it("leaves the Trainer's arguments as they are", async () => {
    const imports = [unsloth, 'from transformers import TrainingArguments', 'from trl import SFTTrainer']
    const { spec } = await trained(script(imports, '', 'TrainingArguments'))
    expect(spec).toMatchObject({ microBatch: 8, gradientAccumulation: 1, optimizer: 'adamw-fused' })
  })

  it("weighs GRPO's reference where TRL's does not", async () => {
    const text = (imports: readonly string[], given = '') =>
      script(imports, given)
        .replaceAll('SFT', 'GRPO')
        .replace('output_dir="out"', 'output_dir="out", num_generations=4')
        .replace('args=GRPO', 'reward_funcs=[score], args=GRPO')
    const both = [unsloth, trl]
    const { spec, assumptions } = await trained(text(both))
    expect(spec.method).toMatchObject({ reference: 'adapters-off' })
    expect(assumptions).toContain("A beta of 0.001, Unsloth's default: the config sets none.")
    expect((await trained(text(both, ', beta=0.0'))).spec.method).toMatchObject({ reference: 'none' })
    expect((await trained(text([trl, unsloth]))).spec.method).toMatchObject({ reference: 'none' })
  })

  it.each([
    ['DPO', ', max_length=512', 512],
    ['ORPO', ', max_length=512', 512],
    ['KTO', '', 1024],
    ['SFT', ', max_length=512', 4096],
    ['SFT', ', max_seq_length=512', 512],
  ])("cuts %s's samples, given%s, to %i tokens", async (trainer, given, length) => {
    const text = script([unsloth, trl], given).replaceAll('SFT', trainer)
    expect((await trained(text.replace('max_seq_length=1024', 'max_seq_length=4096'))).spec.sequenceLength).toBe(length)
  })

  it.each([
    ['SFTConfig', '', 4],
    ['SFTConfig', ', per_device_train_batch_size=2', 4],
    ['SFTConfig', ', per_device_train_batch_size=2, per_device_eval_batch_size=8', 2],
    ['SFTConfig', ', per_device_train_batch_size=2, per_device_eval_batch_size=16', 16],
    ['TrainingArguments', ', per_device_train_batch_size=2', 2],
    ['TrainingArguments', ', per_device_train_batch_size=16', 8],
  ])('evaluates by %s, given%s, %i samples at a time', async (config, given, microBatch) => {
    const imports = [unsloth, 'from transformers import TrainingArguments', trl]
    const { spec } = await trained(script(imports, `${given}, eval_strategy="steps"`, config))
    expect(spec.evaluation).toMatchObject({ microBatch })
  })
})

describe("Unsloth's get_peft_model", () => {
  const adapted = (given: string, length = 2_048) => `from unsloth import FastModel
from trl import SFTConfig, SFTTrainer
model, tokenizer = FastModel.from_pretrained("unsloth/gemma-3-4b-it", max_seq_length=${length}, use_gradient_checkpointing="unsloth")
model = FastModel.get_peft_model(model, r=8${given})
SFTTrainer(model=model, args=SFTConfig(output_dir="out")).train()
`
  const attention = ['q_proj', 'k_proj', 'v_proj', 'o_proj']
  const all = [...attention, 'gate_proj', 'up_proj', 'down_proj']
  const narrowed = ', finetune_attention_modules=False'

  it.each([
    ['', all, []],
    [', finetune_vision_layers=False, finetune_language_layers=True, finetune_mlp_modules=True', all, []],
    [', finetune_mlp_modules=False', attention, []],
    [narrowed, ['gate_proj', 'up_proj', 'down_proj'], []],
    [', finetune_vision_layers=True', all, ['finetune_vision_layers']],
    [', finetune_language_layers=False', all, ['finetune_language_layers']],
    [`${narrowed}, target_modules=["q_proj", "up_proj"]`, ['q_proj', 'up_proj'], ['finetune_attention_modules']],
    [', finetune_mlp_modules=bool(WIDE)', all, ['finetune_mlp_modules']],
  ])('adapts, given "%s", %j, and does not follow %j', async (given, targets, unread) => {
    const { spec, unreadSettings = [] } = await trained(adapted(given))
    expect(spec.lora?.targets).toEqual(targets)
    expect(unreadSettings.map(({ name }) => name)).toEqual(unread)
  })

  it.each([
    [512, '', true],
    [511, '', undefined],
    [511, ', use_gradient_checkpointing="unsloth"', undefined],
    [511, ', use_gradient_checkpointing=True', undefined],
  ])('with a model loaded for %i tokens%s offloads checkpoints: %s', async (length, given, offloads) => {
    const { spec, assumptions } = await trained(adapted(given, length))
    expect(spec).toMatchObject({ gradientCheckpointing: true })
    expect(spec.offloadsCheckpoints).toBe(offloads)
    const isTold = assumptions.some(sentence => sentence.startsWith('Checkpoints stay on the GPU'))
    expect(isTold).toBe(length === 511 && !given.includes('True'))
  })
})
