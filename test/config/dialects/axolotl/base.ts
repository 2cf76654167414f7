/** What the tests of Axolotl add to. */
export const base = `base_model: meta-llama/Llama-3.2-1B
datasets: [{path: acme/chat, type: chat_template}]
micro_batch_size: 2
sequence_len: 2048
`
