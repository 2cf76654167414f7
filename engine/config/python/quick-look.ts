/** What can be told of a script before anything is loaded that parses it. */

/** A script, or a notebook. */
export function isPythonPath(path: string): boolean {
  return /\.(?:py|ipynb)$/i.test(path)
}

export function isNotebookPath(path: string): boolean {
  return /\.ipynb$/i.test(path)
}

const ownLoop = /\.backward\s*\(|\bTrainer\s*\(/
const knownModel = /\.from_pretrained\s*\(|\bcreate_model\s*\(|\bmodels\b/

/** False for a text that certainly starts no training that can be read. Takes linear time, and parses nothing. */
export function mayTrain(text: string): boolean {
  if (/\b(?:transformers|trl|unsloth|ultralytics)\b/.test(text) && /Trainer\b|\.train\s*\(/.test(text)) return true
  return ownLoop.test(text) && knownModel.test(text)
}
