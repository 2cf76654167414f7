from trl import GRPOConfig, GRPOTrainer


def shorter(completions, **kwargs):
    return [-float(len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="grpo",
    per_device_train_batch_size=8,
    num_generations=8,
    max_prompt_length=256,
    max_completion_length=512,
)
trainer = GRPOTrainer(model="Qwen/Qwen2.5-0.5B-Instruct", reward_funcs=shorter, args=training_args, train_dataset=data)
trainer.train()
