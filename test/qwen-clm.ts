/** A config that several tests change: language modelling with a vocabulary of 151,936, through Hugging Face's Trainer. */
export const qwenClm = [
  'model_name_or_path: Qwen/Qwen2.5-0.5B',
  'task_name: clm',
  'block_size: 1024',
  'per_device_train_batch_size: 4',
  'bf16: true',
  '',
].join('\n')
