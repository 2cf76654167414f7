from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


class FineTuner:
    def __init__(self, model_name, batch_size=6, length=512):
        self.model_name = model_name
        self.batch_size = batch_size
        self.max_length = length
        self.model = AutoModelForCausalLM.from_pretrained(self.model_name)

    def encode(self, rows):
        return self.tokenizer(rows["text"], truncation=True, max_length=self.max_length)

    def run(self):
        args = TrainingArguments(output_dir="gpt2", per_device_train_batch_size=self.batch_size)
        trainer = Trainer(model=self.model, args=args)
        trainer.train()


FineTuner("gpt2", batch_size=12).run()
