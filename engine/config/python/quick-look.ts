/** What can be told of a script before anything is loaded that parses it. */

const settings =
  /batch_?size|grad\w{0,10}_accum|max_(?:seq_)?len|\b(?:Training|Model)Arguments\b|\bLightning(?:Data)?Module\b|\b(?:Lora|BitsAndBytes|SFT|DPO|GRPO|KTO|ORPO|CPO|Reward)Config\b/i

/** Whether a module may hold settings that training scripts import: names of batch sizes, lengths, models, and their classes. */
export function holdsSettings(text: string): boolean {
  return settings.test(text)
}

/** Whether a module may define classes that configs of Lightning's command line name. */
export function definesModules(text: string): boolean {
  return /\bLightning(?:Data)?Module\b/.test(text)
}

/** A script, or a notebook. */
export function isPythonPath(path: string): boolean {
  return /\.(?:py|ipynb)$/i.test(path)
}

export function isNotebookPath(path: string): boolean {
  return /\.ipynb$/i.test(path)
}

const ownLoop = /\.backward\s*\(|\bTrainer\s*\(/
/** The loop itself may stand in a file that is imported. */
const optimizer = /\b(?:Adam|AdamW|SGD|Adafactor|RMSprop|(?:Paged)?AdamW?8bit)\s*\(/
const knownModel = /\.from_pretrained\s*\(|\bcreate_model\s*\(|\bmodels?\b/

/** False for a text that certainly starts no training that can be read. Takes linear time, and parses nothing. */
export function mayTrain(text: string): boolean {
  if (/\b(?:transformers|trl|unsloth|ultralytics)\b/.test(text) && /Trainer\b|\.train\s*\(/.test(text)) return true
  if (/\b(?:sentence_transformers|setfit)\b/.test(text) && /Trainer\b|\.fit\s*\(/.test(text)) return true
  if (/\bhydra\b/.test(text) && /\binstantiate\s*\(/.test(text) && /\.fit\s*\(/.test(text)) return true
  return (ownLoop.test(text) || (optimizer.test(text) && /loader/i.test(text))) && knownModel.test(text)
}
