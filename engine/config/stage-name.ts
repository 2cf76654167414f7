/** Whether a file's name sounds like a config of a stage before another: `sft.yaml`, `stage1.json`. */
export function soundsLikeStage(name: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(name) && /sft|pretrain|cpt|stage|train|warm|lora/i.test(name)
}
