/** The least that a config of the Trainer says, of four models. */
export const bert = 'model_name_or_path: google-bert/bert-base-uncased\nper_device_train_batch_size: 16\n'
export const gpt2 = 'model_name_or_path: openai-community/gpt2\nper_device_train_batch_size: 4\n'
export const resnet = 'model_name_or_path: microsoft/resnet-50\nper_device_train_batch_size: 64\n'
export const llama = 'model_name_or_path: meta-llama/Llama-2-7b-hf\nper_device_train_batch_size: 1\n'
