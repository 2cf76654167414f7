from peft import LoraConfig
from transformers import AutoModelForCausalLM, HqqConfig
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-0.6B", quantization_config=HqqConfig(nbits=4))
SFTTrainer(model=model, peft_config=LoraConfig(r=8), args=SFTConfig("o", per_device_train_batch_size=2)).train()
