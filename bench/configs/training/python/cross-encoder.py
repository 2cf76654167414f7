from sentence_transformers.cross_encoder import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import CrossEntropyLoss

model = CrossEncoder("microsoft/deberta-v3-base", num_labels=3, max_length=144)
args = CrossEncoderTrainingArguments(output_dir="o", per_device_train_batch_size=22, bf16=True)
CrossEncoderTrainer(model=model, args=args, train_dataset=nli, loss=CrossEntropyLoss(model)).train()
