/** BERT on an A10: the real engine recommends 32 × 1 for an effective batch of 32, and calls 2 × 16 wasteful. */

export function wastefulText({ microBatch, accumulation }: { microBatch: number; accumulation: number }): string {
  return [
    'model_name_or_path: google-bert/bert-base-uncased',
    'task_name: mnli',
    'max_seq_length: 128',
    'bf16: true',
    `per_device_train_batch_size: ${microBatch}`,
    `gradient_accumulation_steps: ${accumulation}`,
    'optim: adamw_torch',
    'learning_rate: 1.0e-4',
    '',
  ].join('\n')
}
