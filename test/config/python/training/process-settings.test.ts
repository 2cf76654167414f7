/** What a script sets of PyTorch for its whole process: told, and nothing blocks. */
import { expect, it } from 'vitest'
import { finetuning, trained } from '../scripts.ts'

const batch = 'per_device_train_batch_size=8'
const ofKernels = 'Which kernels attention may use'

async function told(
  text: string,
): Promise<{ readonly says: string | undefined; readonly assumesCode: true | undefined }> {
  const { assumptions, assumesCode } = await trained(text)
  const says = assumptions.find(sentence => sentence.includes("is the code's own choice"))?.split(' is the code')[0]
  return { says, assumesCode }
}

const nothing = { says: undefined, assumesCode: undefined }

it.each([
  ['import torch\ntorch.backends.cuda.enable_mem_efficient_sdp(False)', ofKernels],
  ['import torch\nif torch.cuda.is_available():\n    torch.backends.cuda.enable_flash_sdp(False)', ofKernels],
  ['from torch.backends.cuda import enable_math_sdp\nenable_math_sdp(False)', ofKernels],
  ['import torch\nimport os\ntorch.backends.cuda.enable_flash_sdp(os.environ["FLASH"] == "1")', ofKernels],
  ['import torch\nwith torch.backends.cuda.sdp_kernel(enable_flash=False):\n    pass', ofKernels],
  ['from torch.nn.attention import SDPBackend, sdpa_kernel\nwith sdpa_kernel(SDPBackend.MATH):\n    pass', ofKernels],
  [
    'import torch\ntorch.cuda.set_per_process_memory_fraction(0.5)',
    "The share of the GPU's memory that PyTorch may use",
  ],
  ['import torch\ntorch.set_default_dtype(torch.bfloat16)', 'The default type of tensors'],
  ['import torch\nrun = torch.compile(step)', 'Compiling by torch.compile'],
  ['if True:\n    model.compile()', 'Compiling by torch.compile'],
  [
    'import torch\nwith torch.autograd.graph.save_on_cpu(pin_memory=True):\n    pass',
    'Where the backward pass keeps what it needs',
  ],
])('%j is told', async (code, says) => {
  expect(await told(finetuning(`${code}\n`, batch))).toEqual({ says, assumesCode: true })
})

it.each([
  ['turning on what is on', 'import torch\ntorch.backends.cuda.enable_flash_sdp(True)'],
  ['all of the memory', 'import torch\ntorch.cuda.set_per_process_memory_fraction(1.0)'],
  ['the type that is the default', 'import torch\ntorch.set_default_dtype(torch.float32)'],
  ['the same by its class', 'import torch\ntorch.set_default_tensor_type(torch.cuda.FloatTensor)'],
  ['the same by its name', 'import torch\ntorch.set_default_tensor_type("torch.cuda.FloatTensor")'],
  ['a pattern that is compiled', 'import re\nname = re.compile("layer")'],
  ["a model of Keras'", 'model.compile(optimizer="adam", loss="mse")'],
  ['a function of its own', 'def enable_flash_sdp(on):\n    pass\n\nenable_flash_sdp(False)'],
  ['what never runs', 'import torch\nif False:\n    torch.backends.cuda.enable_flash_sdp(False)'],
])('%s is nothing to tell', async (_, code) => {
  expect(await told(finetuning(`${code}\n`, batch))).toEqual(nothing)
})

it('nor are kernels where attention uses another function', async () => {
  const code = 'import torch\ntorch.backends.cuda.enable_mem_efficient_sdp(False)\n'
  const text = finetuning(code, batch).replace(
    /from_pretrained\(([^)]*)\)/,
    'from_pretrained($1, attn_implementation="eager")',
  )
  expect(text).toContain('attn_implementation')
  expect(await told(text)).toEqual(nothing)
})

it('the same holds around a loop', async () => {
  const text = [
    'import torch',
    'from torch.utils.data import DataLoader',
    'from transformers import AutoModelForSequenceClassification',
    'torch.backends.cuda.enable_flash_sdp(False)',
    "model = AutoModelForSequenceClassification.from_pretrained('bert-base-uncased').cuda()",
    'optimizer = torch.optim.AdamW(model.parameters())',
    'for batch in DataLoader(dataset, batch_size=16):',
    '    model(**batch).loss.backward()',
    '    optimizer.step()',
    '',
  ].join('\n')
  expect(await told(text)).toEqual({ says: ofKernels, assumesCode: true })
})

it.each([
  ['torch.set_default_dtype(torch.float32)', nothing],
  ['torch.set_default_dtype(torch.bfloat16)', { says: 'The default type of tensors', assumesCode: true }],
])('nor is a loop refused by its default type: %s', async (code, says) => {
  const text = `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification
${code}
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").cuda()
optimizer = torch.optim.AdamW(model.parameters())
for batch in DataLoader(dataset, batch_size=16):
    model(**batch).loss.backward()
    optimizer.step()
`
  expect(await told(text)).toEqual(says)
})
