/** Whose 8-bit optimizers keep 8 bits of embeddings too, where the Trainer has bitsandbytes keep 32. */
import { expect, it } from 'vitest'
import { trainingConfig } from '../readings.ts'

const byTrainer = 'model_name_or_path: gpt2\nper_device_train_batch_size: 4\n'
const byAxolotl = 'base_model: gpt2\nmicro_batch_size: 1\ndatasets: []\noptimizer: adamw_bnb_8bit\n'
const byFactory = 'model_name_or_path: gpt2\nstage: sft\ndo_train: true\ntemplate: default\nfinetuning_type: full\n'
const byTorchtune = `model:
  _component_: torchtune.models.llama3_2.llama3_2_1b
batch_size: 2
optimizer:
  _component_: bitsandbytes.optim.AdamW8bit
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
`

it.each([
  ["torchao's, by the Trainer", `${byTrainer}optim: adamw_torch_8bit\n`, true],
  ["bitsandbytes', by the Trainer", `${byTrainer}optim: adamw_bnb_8bit\n`, undefined],
  ["torchao's, by Axolotl", byAxolotl.replace('adamw_bnb_8bit', 'ao_adamw_8bit'), true],
  ["bitsandbytes', by Axolotl", byAxolotl, undefined],
  ['with a rate of their own for embeddings, by Axolotl', `${byAxolotl}embedding_lr: 0.0001\n`, true],
  ['without one, by Axolotl', `${byAxolotl}embedding_lr:\n`, undefined],
  ["torchao's, by LLaMA-Factory", `${byFactory}optim: adamw_torch_8bit\n`, true],
  ["bitsandbytes', by LLaMA-Factory", `${byFactory}optim: adamw_8bit\n`, undefined],
  ["torchtune's", byTorchtune, true],
  [
    "torchtune's with moments in full",
    byTorchtune.replace('bitsandbytes.optim.AdamW8bit', 'torch.optim.AdamW'),
    undefined,
  ],
])('%s', (_, text, expected) => {
  expect(trainingConfig(text).spec.eightBitEmbeddings).toBe(expected)
})
