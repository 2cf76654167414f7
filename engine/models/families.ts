/** All model families. A new one is its file and a line here. */
import { albertFamily } from './albert.ts'
import { bartFamily, m2m100Family, marianFamily, pegasusFamily } from './bart.ts'
import { bertFamily, distilbertFamily, robertaFamily } from './bert.ts'
import { debertaFamily } from './deberta.ts'
import { afmoeFamily } from './decoders/afmoe.ts'
import { apertusFamily } from './decoders/apertus.ts'
import { bloomFamily } from './decoders/bloom.ts'
import { cohere2Family, cohereFamily } from './decoders/cohere.ts'
import {
  deepseekV2Family,
  deepseekV3Family,
  deepseekV32Family,
  glm4MoeFamily,
  glm4MoeLiteFamily,
  glmMoeDsaFamily,
  mistral4Family,
} from './decoders/deepseek.ts'
import { ernieFamily } from './decoders/ernie.ts'
import { exaone4Family } from './decoders/exaone4.ts'
import { falconFamily } from './decoders/falcon.ts'
import { falconH1Family } from './decoders/falcon-h1.ts'
import { gptjFamily, gptNeoFamily } from './decoders/float32-attention.ts'
import { gemma2Family, gemma3Family, gemmaFamily } from './decoders/gemma.ts'
import { gemma3VisionFamily } from './decoders/gemma3-vision.ts'
import { gemma3nFamily, gemma3nTextFamily } from './decoders/gemma3n.ts'
import { gemma4Family, gemma4TextFamily, gemma4UnifiedFamily } from './decoders/gemma4.ts'
import { glm4Family, glm4vFamily } from './decoders/glm.ts'
import { glm2024Family } from './decoders/glm-2024.ts'
import { gptBigCodeFamily } from './decoders/gpt-bigcode.ts'
import { gptOssFamily } from './decoders/gpt-oss.ts'
import { gpt2Family } from './decoders/gpt2.ts'
import { graniteHybridFamily } from './decoders/granite-hybrid.ts'
import { graniteMoeFamily, graniteMoeSharedFamily } from './decoders/granite-moe.ts'
import { hunyuanFamily } from './decoders/hunyuan.ts'
import { internvlFamily } from './decoders/internvl.ts'
import { jambaFamily } from './decoders/jamba.ts'
import { kimiLinearFamily } from './decoders/kimi-linear.ts'
import { nemotronFamily, stablelmFamily, starcoder2Family } from './decoders/layer-norm-decoders.ts'
import { lfm2Family, lfm2MoeFamily } from './decoders/lfm2.ts'
import { lfm2VlFamily } from './decoders/lfm2-vl.ts'
import {
  arceeFamily,
  graniteFamily,
  llamaFamily,
  ministral3Family,
  mistralFamily,
  seedOssFamily,
  smollm3Family,
} from './decoders/llama.ts'
import { llama4Family } from './decoders/llama4.ts'
import { llavaFamily } from './decoders/llava.ts'
import { llavaNextFamily } from './decoders/llava-next.ts'
import { llavaOnevisionFamily } from './decoders/llava-onevision.ts'
import { minimaxM2Family } from './decoders/minimax.ts'
import { mistral3Family } from './decoders/mistral3.ts'
import { mixtralFamily } from './decoders/mixtral.ts'
import { mllamaFamily } from './decoders/mllama.ts'
import { mossVlFamily } from './decoders/moss-vl.ts'
import { nemotronHFamily } from './decoders/nemotron-h.ts'
import { olmo2Family, olmo3Family } from './decoders/olmo.ts'
import { optFamily } from './decoders/opt.ts'
import { paddleocrFamily } from './decoders/paddleocr.ts'
import { paligemmaFamily } from './decoders/paligemma.ts'
import { gptNeoxFamily, phiFamily } from './decoders/parallel-decoder.ts'
import { phi3Family } from './decoders/phi3.ts'
import { mimoFamily, qwen2Family, qwen3Family } from './decoders/qwen.ts'
import { olmoeFamily, qwen2MoeFamily, qwen3MoeFamily } from './decoders/qwen-moe.ts'
import { qwen2VlFamily, qwen3VlFamily, qwen3VlMoeFamily, qwen25VlFamily } from './decoders/qwen-vl.ts'
import { qwen3NextFamily } from './decoders/qwen3-next.ts'
import { qwen35Family, qwen35MoeFamily } from './decoders/qwen35.ts'
import { idefics3Family, smolvlmFamily } from './decoders/smolvlm.ts'
import { voxtralFamily } from './decoders/voxtral.ts'
import { electraFamily } from './electra.ts'
import { esmFamily } from './esm.ts'
import { schemasOf } from './family.ts'
import { modernbertFamily } from './modernbert.ts'
import { mpnetFamily } from './mpnet.ts'
import { t5Family } from './t5.ts'
import { convnextFamily } from './vision/convnext.ts'
import { dinov2Family } from './vision/dinov2.ts'
import { efficientnetFamily } from './vision/efficientnet.ts'
import { resnetFamily } from './vision/resnet.ts'
import { deitFamily, vitFamily } from './vision/vit.ts'
import { yoloFamily } from './vision/yolo.ts'
import { hubertFamily, wav2vec2Family } from './wav2vec2.ts'
import { whisperFamily } from './whisper.ts'

/** In the order of their schemas. */
export const families = [
  bertFamily,
  robertaFamily,
  distilbertFamily,
  debertaFamily,
  electraFamily,
  albertFamily,
  modernbertFamily,
  mpnetFamily,
  esmFamily,
  gpt2Family,
  gptBigCodeFamily,
  gptjFamily,
  gptNeoFamily,
  llamaFamily,
  mistralFamily,
  ministral3Family,
  smollm3Family,
  seedOssFamily,
  arceeFamily,
  graniteFamily,
  qwen2Family,
  qwen3Family,
  gemmaFamily,
  gemma2Family,
  gemma3Family,
  phi3Family,
  olmo2Family,
  olmo3Family,
  exaone4Family,
  hunyuanFamily,
  ernieFamily,
  glm4Family,
  glm2024Family,
  starcoder2Family,
  stablelmFamily,
  nemotronFamily,
  apertusFamily,
  cohereFamily,
  cohere2Family,
  mimoFamily,
  lfm2Family,
  lfm2MoeFamily,
  lfm2VlFamily,
  kimiLinearFamily,
  minimaxM2Family,
  afmoeFamily,
  mixtralFamily,
  llama4Family,
  llavaFamily,
  llavaNextFamily,
  llavaOnevisionFamily,
  smolvlmFamily,
  idefics3Family,
  qwen2MoeFamily,
  qwen3MoeFamily,
  olmoeFamily,
  gptOssFamily,
  falconH1Family,
  jambaFamily,
  nemotronHFamily,
  graniteHybridFamily,
  graniteMoeFamily,
  graniteMoeSharedFamily,
  qwen3NextFamily,
  qwen35Family,
  qwen35MoeFamily,
  deepseekV2Family,
  deepseekV3Family,
  deepseekV32Family,
  glmMoeDsaFamily,
  glm4MoeLiteFamily,
  glm4MoeFamily,
  mistral4Family,
  gemma3VisionFamily,
  paligemmaFamily,
  mistral3Family,
  qwen2VlFamily,
  qwen25VlFamily,
  qwen3VlFamily,
  qwen3VlMoeFamily,
  glm4vFamily,
  internvlFamily,
  paddleocrFamily,
  voxtralFamily,
  gemma3nFamily,
  gemma3nTextFamily,
  gemma4Family,
  gemma4TextFamily,
  gemma4UnifiedFamily,
  phiFamily,
  gptNeoxFamily,
  optFamily,
  falconFamily,
  bloomFamily,
  mllamaFamily,
  mossVlFamily,
  t5Family,
  bartFamily,
  marianFamily,
  pegasusFamily,
  m2m100Family,
  whisperFamily,
  wav2vec2Family,
  hubertFamily,
  resnetFamily,
  vitFamily,
  deitFamily,
  dinov2Family,
  convnextFamily,
  efficientnetFamily,
  yoloFamily,
] as const

export const configSchemas = schemasOf(families)
