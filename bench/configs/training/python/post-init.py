from dataclasses import dataclass

from peft import LoraConfig
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer


@dataclass
class Recipe:
    model: str = "HuggingFaceTB/SmolLM2-360M"
    batch: int = None
    layers: list = None
    quick: bool = False

    def __post_init__(self):
        if self.quick:
            self.batch = 1
        if self.batch is None:
            self.batch = 6
        if self.layers is None:
            self.layers = ["q_proj", "k_proj", "v_proj", "o_proj"]


recipe = Recipe()
trainer = SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained(recipe.model),
    args=SFTConfig("out", per_device_train_batch_size=recipe.batch, max_length=768),
    peft_config=LoraConfig(r=8, target_modules=recipe.layers),
    train_dataset=rows,
)
trainer.train()
