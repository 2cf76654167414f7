from peft import LoraConfig, TaskType
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, losses
from sentence_transformers.training_args import SentenceTransformerTrainingArguments

model = SentenceTransformer("BAAI/bge-small-en-v1.5")
model.max_seq_length = 100
model.add_adapter(LoraConfig(task_type=TaskType.FEATURE_EXTRACTION, r=32, lora_alpha=64, lora_dropout=0.1))
args = SentenceTransformerTrainingArguments("o", per_device_train_batch_size=44, fp16=True)
SentenceTransformerTrainer(model=model, args=args, train_dataset=pairs, loss=losses.CoSENTLoss(model)).train()
