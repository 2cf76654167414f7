from accelerate import Accelerator
from torch.optim import AdamW
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

from stories import tokenized

accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=8)
tokenizer = AutoTokenizer.from_pretrained("openai-community/gpt2-medium")
model = AutoModelForCausalLM.from_pretrained("openai-community/gpt2-medium")
data = tokenized(lambda text: tokenizer(text, truncation=True, max_length=768))
loader = DataLoader(data, batch_size=6, shuffle=True)
optimizer = AdamW(model.parameters(), lr=3e-5)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

for batch in loader:
    with accelerator.accumulate(model):
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
