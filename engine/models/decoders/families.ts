/** The decoders that a blueprint describes, a line each. */
import type * as z from 'zod'
import { afmoe, afmoeConfig } from './afmoe.ts'
import { apertus, apertusConfig } from './apertus.ts'
import type { Blueprint } from './blueprint.ts'
import { cohere, cohere2, cohere2Config, cohereConfig } from './cohere.ts'
import {
  deepseek,
  deepseekV2Config,
  deepseekV3Config,
  deepseekV32,
  deepseekV32Config,
  glm4Moe,
  glm4MoeConfig,
  glm4MoeLiteConfig,
  glmMoeDsaConfig,
  mistral4,
  mistral4Config,
} from './deepseek.ts'
import { ernie, ernieConfig } from './ernie.ts'
import { falconH1, falconH1Config } from './falcon-h1.ts'
import { gemma, gemma2, gemma2Config, gemma3, gemma3Config, gemmaConfig } from './gemma.ts'
import { glm4, glm4Config, glm4v, glm4vConfig } from './glm.ts'
import { gptOss, gptOssConfig } from './gpt-oss.ts'
import { graniteHybrid, graniteHybridConfig } from './granite-hybrid.ts'
import { graniteMoe, graniteMoeConfig, graniteMoeSharedConfig } from './granite-moe.ts'
import { hunyuan, hunyuanConfig } from './hunyuan.ts'
import { internvl, internvlConfig } from './internvl.ts'
import { jamba, jambaConfig } from './jamba.ts'
import { kimiLinear, kimiLinearConfig } from './kimi-linear.ts'
import {
  nemotron,
  nemotronConfig,
  stablelm,
  stablelmConfig,
  starcoder2,
  starcoder2Config,
} from './layer-norm-decoders.ts'
import { lfm2, lfm2Config, lfm2Moe, lfm2MoeConfig } from './lfm2.ts'
import { lfm2Vl, lfm2VlConfig } from './lfm2-vl.ts'
import {
  arcee,
  arceeConfig,
  granite,
  graniteConfig,
  llama,
  llamaConfig,
  ministral3,
  ministral3Config,
  mistral,
  mistralConfig,
  seedOss,
  seedOssConfig,
  smollm3,
  smollm3Config,
} from './llama.ts'
import { llama4, llama4Config } from './llama4.ts'
import { llava, llavaConfig } from './llava.ts'
import { minimaxM2, minimaxM2Config } from './minimax.ts'
import { mixtral, mixtralConfig } from './mixtral.ts'
import { nemotronH, nemotronHConfig } from './nemotron-h.ts'
import { olmo2, olmo2Config, olmo3, olmo3Config } from './olmo.ts'
import { paddleocr, paddleocrConfig } from './paddleocr.ts'
import { phi3, phi3Config } from './phi3.ts'
import { mimo, mimoConfig, qwen2, qwen2Config, qwen3, qwen3Config } from './qwen.ts'
import { olmoe, olmoeConfig, qwen2Moe, qwen2MoeConfig, qwen3Moe, qwen3MoeConfig } from './qwen-moe.ts'
import { qwen3Next, qwen3NextConfig } from './qwen3-next.ts'
import { qwen35, qwen35Config, qwen35Moe, qwen35MoeConfig } from './qwen35.ts'
import { idefics3Config, smolvlm, smolvlmConfig } from './smolvlm.ts'
import {
  gemma3Vision,
  gemma3VisionConfig,
  mistral3,
  mistral3Config,
  qwen2Vl,
  qwen2VlConfig,
  qwen3Vl,
  qwen3VlConfig,
  qwen3VlMoe,
  qwen3VlMoeConfig,
  qwen25Vl,
  qwen25VlConfig,
} from './vision-language.ts'
import { voxtral, voxtralConfig } from './voxtral.ts'

export const decoderConfigs = [
  llamaConfig,
  mistralConfig,
  ministral3Config,
  smollm3Config,
  seedOssConfig,
  arceeConfig,
  graniteConfig,
  qwen2Config,
  qwen3Config,
  gemmaConfig,
  gemma2Config,
  gemma3Config,
  phi3Config,
  olmo2Config,
  olmo3Config,
  hunyuanConfig,
  ernieConfig,
  glm4Config,
  starcoder2Config,
  stablelmConfig,
  nemotronConfig,
  apertusConfig,
  cohereConfig,
  cohere2Config,
  mimoConfig,
  lfm2Config,
  lfm2MoeConfig,
  lfm2VlConfig,
  kimiLinearConfig,
  minimaxM2Config,
  afmoeConfig,
  mixtralConfig,
  llama4Config,
  llavaConfig,
  smolvlmConfig,
  idefics3Config,
  qwen2MoeConfig,
  qwen3MoeConfig,
  olmoeConfig,
  gptOssConfig,
  falconH1Config,
  jambaConfig,
  nemotronHConfig,
  graniteHybridConfig,
  graniteMoeConfig,
  graniteMoeSharedConfig,
  qwen3NextConfig,
  qwen35Config,
  qwen35MoeConfig,
  deepseekV2Config,
  deepseekV3Config,
  deepseekV32Config,
  glmMoeDsaConfig,
  glm4MoeLiteConfig,
  glm4MoeConfig,
  mistral4Config,
  gemma3VisionConfig,
  mistral3Config,
  qwen2VlConfig,
  qwen25VlConfig,
  qwen3VlConfig,
  qwen3VlMoeConfig,
  glm4vConfig,
  internvlConfig,
  paddleocrConfig,
  voxtralConfig,
] as const

export type DecoderConfig = z.infer<(typeof decoderConfigs)[number]>

export function blueprintOf(config: DecoderConfig): Blueprint {
  switch (config.model_type) {
    case 'llama':
      return llama(config)
    case 'mistral':
      return mistral(config)
    case 'ministral3':
      return ministral3(config)
    case 'smollm3':
      return smollm3(config)
    case 'seed_oss':
      return seedOss(config)
    case 'arcee':
      return arcee(config)
    case 'granite':
      return granite(config)
    case 'qwen2':
      return qwen2(config)
    case 'qwen3':
      return qwen3(config)
    case 'gemma':
      return gemma(config)
    case 'gemma2':
      return gemma2(config)
    case 'gemma3_text':
      return gemma3(config)
    case 'phi3':
      return phi3(config)
    case 'olmo2':
      return olmo2(config)
    case 'olmo3':
      return olmo3(config)
    case 'hunyuan_v1_dense':
      return hunyuan(config)
    case 'ernie4_5':
      return ernie(config)
    case 'glm4':
      return glm4(config)
    case 'starcoder2':
      return starcoder2(config)
    case 'stablelm':
      return stablelm(config)
    case 'nemotron':
      return nemotron(config)
    case 'apertus':
      return apertus(config)
    case 'cohere':
      return cohere(config)
    case 'cohere2':
      return cohere2(config)
    case 'mimo':
      return mimo(config)
    case 'lfm2':
      return lfm2(config)
    case 'lfm2_moe':
      return lfm2Moe(config)
    case 'llama4':
      return llama4(config)
    case 'llava':
      return llava(config)
    case 'smolvlm':
    case 'idefics3':
      return smolvlm(config)
    case 'lfm2_vl':
      return lfm2Vl(config)
    case 'kimi_linear':
      return kimiLinear(config)
    case 'minimax_m2':
      return minimaxM2(config)
    case 'afmoe':
      return afmoe(config)
    case 'mixtral':
      return mixtral(config)
    case 'qwen2_moe':
      return qwen2Moe(config)
    case 'qwen3_moe':
      return qwen3Moe(config)
    case 'olmoe':
      return olmoe(config)
    case 'qwen3_next':
      return qwen3Next(config)
    case 'qwen3_5':
      return qwen35(config)
    case 'qwen3_5_moe':
      return qwen35Moe(config)
    case 'jamba':
      return jamba(config)
    case 'falcon_h1':
      return falconH1(config)
    case 'nemotron_h':
      return nemotronH(config)
    case 'granitemoe':
    case 'granitemoeshared':
      return graniteMoe(config)
    case 'granitemoehybrid':
      return graniteHybrid(config)
    case 'gpt_oss':
      return gptOss(config)
    case 'deepseek_v2':
    case 'deepseek_v3':
    case 'glm4_moe_lite':
      return deepseek(config)
    case 'deepseek_v32':
    case 'glm_moe_dsa':
      return deepseekV32(config)
    case 'glm4_moe':
      return glm4Moe(config)
    case 'mistral4':
      return mistral4(config)
    case 'gemma3':
      return gemma3Vision(config)
    case 'mistral3':
      return mistral3(config)
    case 'qwen2_vl':
      return qwen2Vl(config)
    case 'qwen2_5_vl':
      return qwen25Vl(config)
    case 'qwen3_vl':
      return qwen3Vl(config)
    case 'qwen3_vl_moe':
      return qwen3VlMoe(config)
    case 'glm4v':
    case 'glm46v':
      return glm4v(config)
    case 'internvl':
      return internvl(config)
    case 'paddleocr_vl':
      return paddleocr(config)
    case 'voxtral':
      return voxtral(config)
  }
}
