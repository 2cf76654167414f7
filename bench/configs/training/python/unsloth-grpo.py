from trl import GRPOConfig, GRPOTrainer
from unsloth import FastLanguageModel

model, tokenizer = FastLanguageModel.from_pretrained("unsloth/Llama-3.2-1B-Instruct", max_seq_length=1024)
model = FastLanguageModel.for_inference(model)
print(model.generate(**tokenizer("Why?", return_tensors="pt")))
model = FastLanguageModel.get_peft_model(model, r=8)
# Unsloth makes four of the one, so that a step has all answers to a prompt.
arguments = GRPOConfig(
    per_device_train_batch_size=1,
    num_generations=4,
    max_prompt_length=128,
    max_completion_length=384,
    optim="adamw_8bit",
)
GRPOTrainer(model=model, args=arguments, reward_funcs=[short], train_dataset=questions).train()
