/** Well-known models whose architecture the engine cannot run yet, by the `model_type` of their config.json. */
export const unsupportedModels: Readonly<Record<string, readonly string[]>> = {
  baichuan: [
    'baichuan-inc/Baichuan-7B',
    'baichuan-inc/Baichuan-13B-Base',
    'baichuan-inc/Baichuan-13B-Chat',
    'baichuan-inc/Baichuan2-7B-Base',
    'baichuan-inc/Baichuan2-7B-Chat',
    'baichuan-inc/Baichuan2-13B-Base',
    'baichuan-inc/Baichuan2-13B-Chat',
  ],
  big_bird: ['google/bigbird-roberta-base', 'google/bigbird-roberta-large'],
  chatglm: [
    'THUDM/chatglm-6b',
    'THUDM/chatglm2-6b',
    'THUDM/chatglm3-6b',
    'THUDM/chatglm3-6b-base',
    'THUDM/glm-4-9b',
    'THUDM/glm-4-9b-chat',
  ],
  codegen: [
    'Salesforce/codegen-350M-mono',
    'Salesforce/codegen-350M-multi',
    'Salesforce/codegen-2B-mono',
    'Salesforce/codegen-6B-mono',
    'Salesforce/codegen-16B-mono',
  ],
  dbrx: ['databricks/dbrx-base', 'databricks/dbrx-instruct', 'LnL-AI/dbrx-base-converted-v2'],
  deberta: ['microsoft/deberta-base', 'microsoft/deberta-large', 'microsoft/deberta-xlarge'],
  esm: [
    'facebook/esm2_t6_8M_UR50D',
    'facebook/esm2_t12_35M_UR50D',
    'facebook/esm2_t30_150M_UR50D',
    'facebook/esm2_t33_650M_UR50D',
    'facebook/esm2_t36_3B_UR50D',
  ],
  internlm2: [
    'internlm/internlm2-1_8b',
    'internlm/internlm2-7b',
    'internlm/internlm2-20b',
    'internlm/internlm2-chat-7b',
    'internlm/internlm2-chat-20b',
    'internlm/internlm2_5-7b-chat',
  ],
  longformer: ['allenai/longformer-base-4096', 'allenai/longformer-large-4096'],
  mamba: ['state-spaces/mamba-2.8b'],
  minicpm: ['openbmb/MiniCPM-2B-sft-bf16', 'openbmb/MiniCPM-2B-dpo-bf16'],
  minicpm3: ['openbmb/MiniCPM3-4B'],
  mpnet: ['microsoft/mpnet-base', 'sentence-transformers/all-mpnet-base-v2'],
  mpt: ['mosaicml/mpt-7b', 'mosaicml/mpt-7b-instruct', 'mosaicml/mpt-7b-chat', 'mosaicml/mpt-30b'],
  qwen: [
    'Qwen/Qwen-1_8B',
    'Qwen/Qwen-1_8B-Chat',
    'Qwen/Qwen-7B',
    'Qwen/Qwen-7B-Chat',
    'Qwen/Qwen-14B',
    'Qwen/Qwen-14B-Chat',
    'Qwen/Qwen-72B',
    'Qwen/Qwen-72B-Chat',
    'Qwen/Qwen-VL',
    'Qwen/Qwen-VL-Chat',
  ],
  swin: [
    'microsoft/swin-tiny-patch4-window7-224',
    'microsoft/swin-base-patch4-window7-224',
    'microsoft/swin-base-patch4-window7-224-in22k',
  ],
  wav2vec2: [
    'facebook/wav2vec2-base',
    'facebook/wav2vec2-base-960h',
    'facebook/wav2vec2-large-xlsr-53',
    'facebook/wav2vec2-xls-r-300m',
  ],
  xlnet: ['xlnet/xlnet-base-cased', 'xlnet/xlnet-large-cased', 'xlnet-base-cased', 'xlnet-large-cased'],
}

/** The `model_type` of a well-known model that cannot be run; case does not matter. */
export function unsupportedArchitectureOf(id: string): string | undefined {
  const key = id.toLowerCase()
  const entries = Object.entries(unsupportedModels)
  return entries.find(([, ids]) => ids.some(known => known.toLowerCase() === key))?.[0]
}
