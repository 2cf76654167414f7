import os

from transformers import AutoModelForCausalLM, AutoTokenizer

path = "out/checkpoint-last"
if os.path.isdir(path):
    model = AutoModelForCausalLM.from_pretrained(path)
else:
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B")
batch_size = 8
print(model.generate(**AutoTokenizer.from_pretrained(path)("Hello", return_tensors="pt")))
