from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer


class Tuner:
    def __init__(self, name="Qwen/Qwen2.5-1.5B"):
        self.name = name
        self.model = AutoModelForCausalLM.from_pretrained(self.name, torch_dtype="bfloat16")

    def add_adapters(self):
        self.model = get_peft_model(self.model, LoraConfig(r=8, target_modules=["q_proj", "v_proj"]))

    def run(self, data):
        self.model = self.model.to("cuda")
        args = SFTConfig(output_dir="out", per_device_train_batch_size=6, max_length=512, bf16=True)
        SFTTrainer(model=self.model, args=args, train_dataset=data).train()


tuner = Tuner()
tuner.add_adapters()
tuner.run(data)
