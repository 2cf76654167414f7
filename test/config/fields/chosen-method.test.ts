/** Files with settings of several ways to fine-tune, of which they choose one. */
import { describe, expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../readings.ts'

const trainer =
  'per_device_train_batch_size: 4\nlearning_rate: 1.0e-4\nbf16: true\nmodel_name: Qwen/Qwen2.5-7B-Instruct\n'
const own = 'batch_size: 4\nlearning_rate: 1.0e-4\nbf16: true\nmodel_name: Qwen/Qwen2.5-7B-Instruct\n'
const lora = 'lora: { r: 8, target_modules: [q_proj] }\n'
const qlora = 'qlora: { r: 32, target_modules: [v_proj], bits: 4 }\n'

function adapters(text: string) {
  const { spec, unreadSettings } = trainingConfig(text)
  return [spec.lora?.rank, spec.quantization, unreadSettings]
}

describe('the method that a file names', () => {
  it.each([
    ['method: full\n', undefined, undefined],
    ['finetuning_method: full_finetuning\n', undefined, undefined],
    ['method: lora\n', 8, undefined],
    ['method: qlora\n', 32, 'nf4'],
  ])('%j alone has its settings counted', (method, rank, quantization) => {
    for (const keys of [trainer, own]) {
      expect(adapters(keys + method + lora + qlora)).toEqual([rank, quantization, undefined])
      const nested = `${keys}finetuning: { ${method.trim()}, ${lora.trim()}, ${qlora.trim()} }\n`
      expect(adapters(nested)).toEqual([rank, quantization, undefined])
    }
  })

  it('has adapters of another name that stand under LoRA’s', () => {
    expect(adapters(`${trainer}method: qlora\n${lora}`)).toEqual([8, 'nf4', undefined])
  })

  it('leaves all weights to train, whatever rank stands beside it', () => {
    expect(adapters(`${trainer}method: full\nlora_r: 8\n`)).toEqual([undefined, undefined, undefined])
  })

  it.each(['method', 'peft_type', 'adapter', 'peft_method', 'mode'])('quantises by %s: qlora', key => {
    expect(adapters(`${trainer}${key}: qlora\nlora_r: 8\n`)).toEqual([8, 'nf4', undefined])
  })

  it('is none of a mapping for something else', () => {
    expect(adapters(`${trainer}scheduler: { type: full }\nsampling: { method: linear }\n${lora}`)[0]).toBe(8)
  })

  it('is asked about where no adapter is described', () => {
    expect(onlyProblemIn(`${trainer}method: lora\n`)).toMatchObject({ code: 'not-in-file', field: 'method', line: 5 })
  })
})
