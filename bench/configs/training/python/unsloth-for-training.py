from trl import SFTConfig, SFTTrainer
from unsloth import FastLanguageModel

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Llama-3.2-1B", max_seq_length=1024, load_in_4bit=True)
model = FastLanguageModel.get_peft_model(model, r=16, target_modules=["q_proj", "v_proj"])
model = FastLanguageModel.for_training(model)
trainer = SFTTrainer(
    model=model,
    train_dataset=letters,
    args=SFTConfig(per_device_train_batch_size=8, gradient_accumulation_steps=2, bf16=True, output_dir="out"),
)
trainer.train()
