/** Of tools that run PyTorch's own loops. */
import type { WrittenConfig } from './tool-config.ts'

export const ofPyTorch: readonly WrittenConfig[] = [
  {
    tool: 'torchtune',
    gpu: 'a10',
    path: 'full.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3_2.llama3_tokenizer
  max_seq_len: 8192
model:
  _component_: torchtune.models.llama3_2.llama3_2_1b
batch_size: 4
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torch.nn.CrossEntropyLoss
dtype: bf16
gradient_accumulation_steps: 1
enable_activation_checkpointing: false
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'chunked-loss', 'half-length'],
  },
  {
    tool: 'torchtune with a fused optimizer, which bitsandbytes has none of',
    gpu: 'a10',
    path: 'fused.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
model:
  _component_: torchtune.models.llama3_2.llama3_2_3b
batch_size: 4
optimizer:
  _component_: torch.optim.AdamW
  fused: true
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss
dtype: bf16
gradient_accumulation_steps: 2
enable_activation_checkpointing: true
`,
    offers: ['paged-8-bit-optimizer', '8-bit-optimizer'],
  },
  {
    tool: 'torchtune over several GPUs',
    gpu: 'a100-40gb',
    path: 'full_distributed.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 8192
model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
tensor_parallel_dim: 8
batch_size: 4
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
dtype: bf16
enable_activation_checkpointing: false
`,
    offers: ['micro-batch', 'selective-checkpointing', 'gradient-checkpointing', 'half-length'],
  },
  {
    tool: 'torchtune, divided by FSDP',
    gpu: 'a100-40gb',
    path: '8B_full.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 8192
model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
batch_size: 4
gradient_accumulation_steps: 2
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
dtype: bf16
enable_activation_checkpointing: false
`,
    gpus: 8,
    offers: ['micro-batch', 'gradient-checkpointing', 'tensor-parallel'],
  },
  {
    tool: 'torchtune where FSDP is not enough',
    gpu: 'a100-40gb',
    path: '70B_full.yaml',
    text: `tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 2048
model:
  _component_: torchtune.models.llama3_1.llama3_1_70b
batch_size: 1
optimizer:
  _component_: torch.optim.AdamW
  lr: 2e-5
loss:
  _component_: torchtune.modules.loss.LinearCrossEntropyLoss
dtype: bf16
enable_activation_checkpointing: true
`,
    gpus: 8,
    offers: ['fsdp-offload', 'optimizer-in-backward'],
  },
  {
    tool: 'torchtitan',
    gpu: 'a100-40gb',
    path: 'llama3_8b.toml',
    text: `# 8 GPUs
[model]
name = "llama3"
flavor = "8B"

[optimizer]
name = "AdamW"
implementation = "foreach"  # as before

[training]
  local_batch_size = 4
  seq_len = 8192

[activation_checkpoint]
mode = "selective"  # ["none", "selective", "full"]
selective_ac_option = "op"
`,
    offers: ['micro-batch', 'gradient-checkpointing', 'compile', 'tensor-parallel', 'half-length'],
  },
  {
    tool: 'torchtitan with copies of the model',
    gpu: 'h100',
    path: 'ddp.toml',
    text: `[model]
name = "llama3"
flavor = "8B"

[training]
seq_len = 3840
local_batch_size = 2

[parallelism]
data_parallel_replicate_degree = 4
data_parallel_shard_degree = 1

[activation_checkpoint]
mode = "none"

[compile]
enable = false
`,
    offers: ['fsdp', 'gradient-checkpointing', 'selective-checkpointing', 'compile', 'micro-batch', 'half-length'],
  },
  {
    tool: "torchtitan's command",
    gpu: 'a100-80gb',
    path: 'train.sh',
    text: `torchrun --nproc_per_node 8 -m torchtitan.train --model.name llama3 --model.flavor 70B \\
  --training.local_batch_size 4 --training.seq_len 8192
`,
    offers: ['gradient-checkpointing', 'tensor-parallel', 'half-length'],
  },
  {
    tool: 'Lightning CLI',
    gpu: 't4',
    path: 'lightning.yaml',
    text: `trainer:
  max_epochs: 3
  devices: 1
model:
  class_path: project.Module
  init_args:
    model_name_or_path: bert-large-uncased
data:
  class_path: project.Data
  init_args:
    batch_size: 96
    max_length: 512
`,
    offers: ['micro-batch', 'fp16-autocast', 'half-length'],
  },
  {
    tool: 'Lightning, a script',
    gpu: 'a100-80gb',
    path: 'train.py',
    text: `import lightning as L
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM

class Tuned(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.float32)

    def training_step(self, batch, _):
        return self.model(**batch).loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-5)

loader = DataLoader(dataset, batch_size=16, collate_fn=collate)
L.Trainer(max_epochs=1, devices=4).fit(Tuned(), loader)
`,
    offers: ['micro-batch', 'bf16-autocast', 'bf16-weights', 'zero-1', 'zero-3'],
  },
  {
    tool: 'PyTorch, a loop of its own',
    gpu: 'a100-80gb',
    path: 'train.py',
    text: `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen2.5-1.5B")
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-1.5B", dtype=torch.float32).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
for batch in DataLoader(dataset, batch_size=16):
    inputs = tokenizer(batch["text"], max_length=1024, truncation=True, padding="max_length", return_tensors="pt").to("cuda")
    model(**inputs, labels=inputs["input_ids"]).loss.backward()
    optimizer.step()
    optimizer.zero_grad()
`,
    offers: ['bf16-weights', 'half-length'],
  },
  {
    tool: 'LitGPT, adapters',
    gpu: 'a10',
    path: 'config_hub/finetune/llama-3.1-8b/lora.yaml',
    text: `checkpoint_dir: checkpoints/meta-llama/Llama-3.1-8B
out_dir: out/finetune/lora-llama-3.1-8b
precision: bf16-true
quantize:
devices: 1
lora_r: 32
train:
  global_batch_size: 8
  micro_batch_size: 2
  max_seq_length: 512
`,
    offers: ['micro-batch', '4-bit-base', 'half-length'],
  },
  {
    tool: 'LitGPT, by its command',
    gpu: 'a100-80gb',
    path: 'finetune.sh',
    text: `litgpt finetune_full checkpoints/meta-llama/Llama-3.2-3B \\
  --train.global_batch_size 16 \\
  --train.micro_batch_size 8 \\
  --train.max_seq_length 2048
`,
    offers: ['micro-batch', 'bf16-weights', 'half-length'],
  },
  {
    tool: 'LitGPT with a class for its optimizer',
    gpu: 'a100-80gb',
    path: 'config_hub/finetune/llama-3.1-8b/full.yaml',
    text: `checkpoint_dir: checkpoints/meta-llama/Llama-3.1-8B
out_dir: out/finetune/full-llama-3.1-8b
precision: bf16-mixed
optimizer:
  class_path: torch.optim.AdamW
  init_args:
    lr: 0.0002
    weight_decay: 0.1
train:
  global_batch_size: 8
  micro_batch_size: 2
  max_seq_length: 512
`,
    offers: ['fused-optimizer', '8-bit-optimizer', 'paged-optimizer', 'bf16-weights'],
  },
]
