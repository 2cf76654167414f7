/** Models of sentence-transformers that are known by name: what their sentence_bert_config.json cuts text to. */

export interface SentenceModel {
  readonly id: string
  readonly tokens: number
}

/** Of the organisation sentence-transformers, whose name may be left out. */
const ofTheLibrary: ReadonlyMap<string, number> = new Map([
  ['all-MiniLM-L6-v2', 256],
  ['all-MiniLM-L12-v2', 128],
  ['all-mpnet-base-v2', 384],
  ['all-mpnet-base-v1', 512],
  ['multi-qa-mpnet-base-dot-v1', 512],
  ['multi-qa-mpnet-base-cos-v1', 512],
  ['multi-qa-MiniLM-L6-cos-v1', 512],
  ['multi-qa-distilbert-cos-v1', 512],
  ['paraphrase-MiniLM-L3-v2', 128],
  ['paraphrase-MiniLM-L6-v2', 128],
  ['paraphrase-MiniLM-L12-v2', 128],
  ['paraphrase-mpnet-base-v2', 512],
  ['paraphrase-multilingual-MiniLM-L12-v2', 128],
  ['paraphrase-multilingual-mpnet-base-v2', 128],
])

/** By a Hub id of that organisation, or by the name alone. */
export function knownSentenceModel(written: string): SentenceModel | undefined {
  const name = written.replace(/^sentence-transformers\//, '')
  const tokens = ofTheLibrary.get(name)
  return tokens === undefined ? undefined : { id: `sentence-transformers/${name}`, tokens }
}
