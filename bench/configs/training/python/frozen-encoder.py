from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration

model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")
model.freeze_encoder()
args = Seq2SeqTrainingArguments("out", per_device_train_batch_size=16, fp16=True)
Seq2SeqTrainer(model=model, args=args, train_dataset=data).train()
