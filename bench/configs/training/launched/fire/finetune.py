from typing import List

import fire
import transformers
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, AutoTokenizer

from corpus import load


def train(
    base_model: str = "meta-llama/Llama-2-7b-chat-hf",
    data_path: str = "data/questions.json",
    micro_batch_size: int = 4,
    batch_size: int = 128,
    cutoff_len: int = 256,
    lora_r: int = 8,
    lora_target_modules: List[str] = ["q_proj", "v_proj"],
):
    steps = batch_size // micro_batch_size
    model = AutoModelForCausalLM.from_pretrained(base_model, load_in_8bit=True, device_map="auto")
    tokenizer = AutoTokenizer.from_pretrained(base_model)
    model = prepare_model_for_kbit_training(model)
    config = LoraConfig(r=lora_r, target_modules=lora_target_modules, task_type="CAUSAL_LM")
    model = get_peft_model(model, config)

    def tokenize(row):
        return tokenizer(row["text"], truncation=True, max_length=cutoff_len)

    trainer = transformers.Trainer(
        model=model,
        train_dataset=load(data_path).map(tokenize),
        args=transformers.TrainingArguments(
            output_dir="out",
            per_device_train_batch_size=micro_batch_size,
            gradient_accumulation_steps=steps,
            fp16=True,
            optim="adamw_torch",
        ),
        data_collator=transformers.DataCollatorForSeq2Seq(tokenizer, padding=True),
    )
    trainer.train()


if __name__ == "__main__":
    fire.Fire(train)
