from dataclasses import dataclass, field


@dataclass
class Config:
    model_name: str = "FacebookAI/roberta-base"
    labels: int = 5
    output: str = field(default_factory=lambda: "runs/intents")
    batch_size: int = 48
    accumulate: int = 2
    half: bool = True
    max_length: int = 128
