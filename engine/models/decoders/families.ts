/** The decoders that a blueprint describes, a row each: the schema of their config.json, and the blueprint made from it. */
import type * as z from 'zod'
import { afmoe, afmoeConfig } from './afmoe.ts'
import { apertus } from './apertus.ts'
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
import { exaone4 } from './exaone4.ts'
import { falconH1, falconH1Config } from './falcon-h1.ts'
import { family, type Linears, schemasOf } from './family.ts'
import { gemma, gemma2, gemma2Config, gemma3, gemma3Config, gemmaConfig } from './gemma.ts'
import { glm4, glm4Config, glm4v, glm4vConfig } from './glm.ts'
import { glm2024 } from './glm-2024.ts'
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

/** In the order of their schemas. A new one is its file and a line here. */
const decoderFamilies = [
  family(llamaConfig, llama),
  family(mistralConfig, mistral),
  family(ministral3Config, ministral3),
  family(smollm3Config, smollm3),
  family(seedOssConfig, seedOss),
  family(arceeConfig, arcee),
  family(graniteConfig, granite),
  family(qwen2Config, qwen2),
  family(qwen3Config, qwen3),
  family(gemmaConfig, gemma),
  family(gemma2Config, gemma2),
  family(gemma3Config, gemma3),
  family(phi3Config, phi3),
  family(olmo2Config, olmo2),
  family(olmo3Config, olmo3),
  exaone4,
  family(hunyuanConfig, hunyuan),
  family(ernieConfig, ernie),
  family(glm4Config, glm4),
  glm2024,
  family(starcoder2Config, starcoder2),
  family(stablelmConfig, stablelm),
  family(nemotronConfig, nemotron),
  apertus,
  family(cohereConfig, cohere),
  family(cohere2Config, cohere2),
  family(mimoConfig, mimo),
  family(lfm2Config, lfm2),
  family(lfm2MoeConfig, lfm2Moe),
  family(lfm2VlConfig, lfm2Vl),
  family(kimiLinearConfig, kimiLinear),
  family(minimaxM2Config, minimaxM2),
  family(afmoeConfig, afmoe),
  family(mixtralConfig, mixtral),
  family(llama4Config, llama4),
  family(llavaConfig, llava),
  family(smolvlmConfig, smolvlm),
  family(idefics3Config, smolvlm),
  family(qwen2MoeConfig, qwen2Moe),
  family(qwen3MoeConfig, qwen3Moe),
  family(olmoeConfig, olmoe),
  family(gptOssConfig, gptOss),
  family(falconH1Config, falconH1),
  family(jambaConfig, jamba),
  family(nemotronHConfig, nemotronH),
  family(graniteHybridConfig, graniteHybrid),
  family(graniteMoeConfig, graniteMoe),
  family(graniteMoeSharedConfig, graniteMoe),
  family(qwen3NextConfig, qwen3Next),
  family(qwen35Config, qwen35),
  family(qwen35MoeConfig, qwen35Moe),
  family(deepseekV2Config, deepseek),
  family(deepseekV3Config, deepseek),
  family(deepseekV32Config, deepseekV32),
  family(glmMoeDsaConfig, deepseekV32),
  family(glm4MoeLiteConfig, deepseek),
  family(glm4MoeConfig, glm4Moe),
  family(mistral4Config, mistral4),
  family(gemma3VisionConfig, gemma3Vision),
  family(mistral3Config, mistral3),
  family(qwen2VlConfig, qwen2Vl),
  family(qwen25VlConfig, qwen25Vl),
  family(qwen3VlConfig, qwen3Vl),
  family(qwen3VlMoeConfig, qwen3VlMoe),
  family(glm4vConfig, glm4v),
  family(internvlConfig, internvl),
  family(paddleocrConfig, paddleocr),
  family(voxtralConfig, voxtral),
] as const

export const decoderConfigs = schemasOf(decoderFamilies)

export type DecoderConfig = z.infer<(typeof decoderConfigs)[number]>

const byModelType = new Map<string, { blueprint(config: DecoderConfig): Blueprint; readonly linears?: Linears }>(
  decoderFamilies.flatMap(each => Array.from(each.config.shape.model_type.values, type => [type, each] as const)),
)

export function blueprintOf(config: DecoderConfig): Blueprint {
  const found = byModelType.get(config.model_type)
  if (found === undefined) throw new Error(`no decoder is called ${config.model_type}`)
  return found.blueprint(config)
}

/** The linear layers that a family's own file names; of the others config/trainer/adapter-targets.ts has a table. */
export function ownLinearsOf(modelType: string): Linears | undefined {
  return byModelType.get(modelType)?.linears
}
