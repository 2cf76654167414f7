/** A config that several tests measure or plan: BERT on MNLI, through Hugging Face's Trainer. */
export const bertMnli = `model_name_or_path: bert-base-uncased
task_name: mnli
max_seq_length: 128
per_device_train_batch_size: 16
num_labels: 3
bf16: true
`
