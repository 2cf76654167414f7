/** Configs of stages before others, by a quick look. */
import { posix } from 'node:path'
import type { SourceFile } from '../reading.ts'

/** Whether a file's name sounds like a config of a stage before another: `sft.yaml`, `stage1.json`. */
export function soundsLikeStage(name: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(name) && /sft|pretrain|cpt|stage|train|warm|lora|export|merge/i.test(name)
}

/** Whether a file may say that it trains a model into a folder, from which a stage beside it may start: a quick look at its text. */
export function mayBeEarlierStage({ path, text }: SourceFile): boolean {
  return soundsLikeStage(posix.basename(path)) && /out|save|export|merge/i.test(text) && outputKey.test(text)
}

const outputKey = /(?:dir|directory|path|folder)["']?[ \t]{0,20}:/i
