from transformers import Trainer, TrainingArguments, Wav2Vec2ForCTC

model = Wav2Vec2ForCTC.from_pretrained("facebook/wav2vec2-large-xlsr-53", vocab_size=len(letters))
model.freeze_feature_encoder()
args = TrainingArguments("out", per_device_train_batch_size=12, gradient_checkpointing=True, fp16=True)
Trainer(model=model, args=args, data_collator=pad_both, train_dataset=clips).train()
