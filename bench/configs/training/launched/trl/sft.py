from datasets import load_dataset
from trl import SFTConfig, SFTTrainer, TrlParser

parser = TrlParser((SFTConfig,))
(training_args,) = parser.parse_args_and_config()
trainer = SFTTrainer(
    model="Qwen/Qwen2.5-0.5B",
    args=training_args,
    train_dataset=load_dataset("trl-lib/Capybara", split="train"),
)
trainer.train()
