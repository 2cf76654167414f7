/** What a script changes beside the arguments of its trainer: told, and nothing blocks. */
import { expect, it } from 'vitest'
import { loop } from '../loop.ts'
import { finetuning, trained } from '../scripts.ts'

const batch = 'per_device_train_batch_size=8'

async function told(text: string): Promise<string | undefined> {
  const { assumptions, assumesCode } = await trained(text)
  const says = assumptions
    .find(sentence => sentence.includes("is the code's own: it is not counted"))
    ?.split(' is the')[0]
  return says === undefined || assumesCode !== true ? undefined : says.replace(/ ?\(line \d+\)$/, '')
}

const callback = (statement: string) => `from transformers import TrainerCallback
class Grow(TrainerCallback):
    def on_epoch_begin(self, args, state, control, **kwargs):
        ${statement}
`
const after = (statement: string) => finetuning('', batch).replace('trainer.train()', `${statement}\ntrainer.train()`)
const adapted = (statement: string) =>
  finetuning('from peft import LoraConfig, get_peft_model', batch).replace(
    'args =',
    `model = get_peft_model(model, LoraConfig(r=8, target_modules=["c_attn"]))\n${statement}\nargs =`,
  )
const overParameters = (statement: string) => `for name, p in model.named_parameters():\n    ${statement}`

it.each([
  [
    'arguments set on the trainer',
    after('trainer.args.gradient_accumulation_steps = 4'),
    'What trainer.args.gradient_accumulation_steps is set to once the trainer is made',
  ],
  ...['_train_batch_size', 'train_dataset'].map(name => [
    `its ${name} set on the trainer`,
    after(`trainer.${name} = other`),
    `What trainer.${name} is set to once the trainer is made`,
  ]),
  [
    'a vocabulary of a given size',
    finetuning('', batch).replace('args =', 'model.resize_token_embeddings(200000)\nargs ='),
    'The vocabulary that resize_token_embeddings() leaves the model with',
  ],
  [
    'some of the weights in the optimizer, by their names',
    loop({ optimizer: 'optimizer = torch.optim.SGD([p for n, p in model.named_parameters() if "h.11" in n], lr=1)' }),
    'Which weights the optimizer is given',
  ],
  [
    'a part of the model in the optimizer',
    loop({ optimizer: 'optimizer = torch.optim.SGD(model.lm_head.parameters(), lr=1)' }),
    'Which weights the optimizer is given',
  ],
  [
    'arguments set by a callback',
    finetuning(callback('args.gradient_accumulation_steps = 8'), batch),
    'What args.gradient_accumulation_steps is set to once the trainer is made',
  ],
  [
    'a search over batch sizes',
    after('trainer.hyperparameter_search(hp_space=space)'),
    'What hyperparameter_search() tries',
  ],
  [
    'parameters that are cast one by one',
    adapted(overParameters('p.data = p.data.float()')),
    'The type of the weights that are cast one by one',
  ],
  [
    'modules that are cast one by one',
    adapted(
      'for name, module in model.named_modules():\n    if "lora" in name:\n        module.to(torch.bfloat16)',
    ).replace('from peft', 'import torch\nfrom peft'),
    'The type of the weights that are cast one by one',
  ],
  [
    'weights that train beside adapters',
    adapted(overParameters('if "wte" in name:\n        p.requires_grad = True')),
    'Which weights train beside the adapters',
  ],
  [
    'a second adapter',
    adapted('model.add_adapter("other", LoraConfig(r=64, target_modules="all-linear"))\nmodel.set_adapter("other")'),
    "The adapter that add_adapter() adds to the model's",
  ],
  [
    'kernels of a library',
    finetuning('from liger_kernel.transformers import apply_liger_kernel_to_gpt2\napply_liger_kernel_to_gpt2()', batch),
    "Which kernels apply_liger_kernel_to_gpt2() puts in the place of the model's",
  ],
  [
    "a callback of Lightning's",
    loop({
      above:
        'from lightning.pytorch.callbacks import GradientAccumulationScheduler\nGradientAccumulationScheduler({4: 2})',
    }),
    'What GradientAccumulationScheduler changes while it trains',
  ],
])('%s', async (_, text, says) => {
  expect(await told(text)).toBe(says)
})

it.each([
  ['where files go', after('trainer.args.output_dir = "elsewhere"')],
  ['arguments before the trainer is made', finetuning('', batch).replace('trainer =', 'args.fp16 = True\ntrainer =')],
  ['norms that are cast', adapted(overParameters('if p.ndim == 1:\n        p.data = p.data.float()'))],
  ['adapters that train anyway', adapted(overParameters('if "lora" in name:\n        p.requires_grad = True'))],
  ['weights that are frozen again', adapted(overParameters('if "wte" in name:\n        p.requires_grad = False'))],
  [
    'the outputs of embeddings',
    adapted('def keep(module, inputs, output):\n    output.requires_grad_(True)\nregister(keep)'),
  ],
  ['a batch that is cast', finetuning('def collate(batch):\n    for each in batch:\n        each.float()', batch)],
  ['a class of its own', finetuning('class BatchSizeFinder:\n    pass\n\nBatchSizeFinder()', batch)],
])('%s is nothing to tell', async (_, text) => {
  expect(await told(text)).toBeUndefined()
})
