"""Adapters, in few bits too."""
import bitsandbytes as bnb
import lightning as L
import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig


class Adapted(L.LightningModule):
    def __init__(self, name: str, rank: int = 8):
        super().__init__()
        loaded = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)
        self.model = get_peft_model(loaded, LoraConfig(r=rank, target_modules=["q_proj", "v_proj"]))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=2e-4, fused=True)


class Quantized(L.LightningModule):
    def __init__(self, name: str, rank: int = 16):
        super().__init__()
        bits = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
        loaded = AutoModelForCausalLM.from_pretrained(name, quantization_config=bits)
        loaded = prepare_model_for_kbit_training(loaded)
        self.model = get_peft_model(loaded, LoraConfig(r=rank, target_modules=["q_proj", "v_proj"]))

    def configure_optimizers(self):
        return bnb.optim.PagedAdamW8bit(self.parameters(), lr=2e-4)


class Whole(L.LightningModule):
    def __init__(self, name: str):
        super().__init__()
        self.model = AutoModelForCausalLM.from_pretrained(name)
        self.model.gradient_checkpointing_enable()

    def configure_optimizers(self):
        return bnb.optim.AdamW8bit(self.parameters(), lr=1e-5)
