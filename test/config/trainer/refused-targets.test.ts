/** Layers on which peft refuses adapters. */
import { expect, it } from 'vitest'
import { onlyProblemIn, trainingConfig } from '../readings.ts'

const onModel = (model: string, targets: string) =>
  `model_name_or_path: ${model}\nper_device_train_batch_size: 1\nmax_length: 512\nuse_peft: true\nlora_target_modules: ${targets}\n`

it.each(['[q_proj, out_proj]', 'all-linear'])('are refused by name on the output of Mamba 2: %s', targets => {
  for (const model of ['tiiuae/Falcon-H1-0.5B-Base', 'nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16']) {
    const problem = onlyProblemIn(onModel(model, targets))
    expect(problem).toMatchObject({ code: 'no-such-lora-target', field: 'lora_target_modules' })
    expect(problem.message).toContain('peft refuses adapters on out_proj')
  }
})

it('are adapted in other models, and other layers in those', () => {
  const targetsOf = (model: string, targets: string) => trainingConfig(onModel(model, targets)).spec.lora?.targets
  expect(targetsOf('facebook/opt-1.3b', '[q_proj, out_proj]')).toEqual(['q_proj', 'out_proj'])
  expect(targetsOf('tiiuae/Falcon-H1-0.5B-Base', '[q_proj, in_proj]')).toEqual(['q_proj', 'in_proj'])
})
