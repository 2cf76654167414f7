import torch
from lightning import LightningModule
from peft import LoraConfig, TaskType, get_peft_model
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification


class Texts(LightningModule):
    def __init__(self, name: str, optimizer, max_length: int, frozen: bool = False, rate: float = 1e-5):
        super().__init__()
        self.save_hyperparameters(ignore=["optimizer"])
        self.make = optimizer
        self.model = AutoModelForSequenceClassification.from_pretrained(name, num_labels=4)

    def configure_optimizers(self):
        return self.make(self.parameters())


class Adapted(LightningModule):
    def __init__(self, name: str, optimizer, max_length: int, rank: int):
        super().__init__()
        self.make = optimizer
        loaded = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)
        adapters = LoraConfig(task_type=TaskType.CAUSAL_LM, r=rank, target_modules=["q_proj", "v_proj"])
        self.model = get_peft_model(loaded, adapters)

    def configure_optimizers(self):
        return self.make(self.parameters())
