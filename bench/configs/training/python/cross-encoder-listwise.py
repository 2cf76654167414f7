from sentence_transformers.cross_encoder import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import LambdaLoss

model = CrossEncoder("answerdotai/ModernBERT-base", num_labels=1)
args = CrossEncoderTrainingArguments(output_dir="o", per_device_train_batch_size=16)
CrossEncoderTrainer(model=model, args=args, train_dataset=lists, loss=LambdaLoss(model)).train()
