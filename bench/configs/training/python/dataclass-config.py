from dataclasses import dataclass

from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments


@dataclass
class Config:
    family: str = "gpt2"
    size: str = "medium"
    batch: int = 10
    tokens: int = 256


config = Config(batch=14)
name = f"{config.family}-{config.size}"
tokenizer = AutoTokenizer.from_pretrained(name)
rows = tokenizer(texts, truncation=True, max_length=config.tokens)
trainer = Trainer(
    model=AutoModelForCausalLM.from_pretrained(name),
    args=TrainingArguments("o", per_device_train_batch_size=config.batch, bf16=True),
    train_dataset=rows,
)
trainer.train()
