import torch
from datasets import load_dataset
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, TrainingArguments
from trl import SFTTrainer

MODEL_ID = "meta-llama/Llama-2-7b-hf"


def load():
    config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.float16)
    model = AutoModelForCausalLM.from_pretrained(MODEL_ID, quantization_config=config, torch_dtype=torch.float16)
    model.config.use_cache = False
    model = prepare_model_for_kbit_training(model)
    return get_peft_model(model, LoraConfig(r=8, target_modules=["q_proj", "v_proj"], lora_dropout=0.05))


trainer = SFTTrainer(
    model=load(),
    args=TrainingArguments("out", per_device_train_batch_size=4, gradient_accumulation_steps=4, optim="paged_adamw_8bit"),
    max_seq_length=512,
    dataset_text_field="text",
)
trainer.train()
